"""Grading of answer files: a spec, the task's files and a workspace in, a verdict out.

Everything that a harness or a grader needs of the verdict contract is importable from here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from verifyit._aggregation import (
    Aggregation,
    PreparationCategory,
    aggregate_first_fit,
    aggregate_rewards,
    finalize_preparation_failure,
)
from verifyit._answer import empty_output_policy, local_output_path, read_output
from verifyit._verdict_files import REWARD_JSON, REWARD_TXT, VERDICT_JSON, clear_reward, write_reward
from verifyit.reward import (
    GradingInfraError,
    InvalidTask,
    Reward,
    Status,
    infra_error,
    invalid_task,
    scored,
    validated,
)
from verifyit.spec import DEFAULT_WORKSPACE, MODE_DESCRIPTORS, Mode, Spec, mode_of, parse_spec

if TYPE_CHECKING:
    from types import ModuleType

    from verifyit._probe import negative_candidate, positive_candidate
    from verifyit._tolerance import numeric_tolerance

__all__ = [
    "DEFAULT_LOGS_DIR",
    "GRADERS",
    "REWARD_JSON",
    "REWARD_TXT",
    "VERDICT_JSON",
    "Aggregation",
    "Grader",
    "GradingInfraError",
    "InvalidTask",
    "PreparationCategory",
    "Reward",
    "Status",
    "aggregate_first_fit",
    "aggregate_rewards",
    "empty_output_policy",
    "finalize_preparation_failure",
    "grade",
    "grader_for",
    "infra_error",
    "invalid_task",
    "local_output_path",
    "main",
    "mode_module",
    "negative_candidate",
    "numeric_tolerance",
    "positive_candidate",
    "read_output",
    "run",
    "scored",
    "write_reward",
]

DEFAULT_LOGS_DIR = "/logs/verifier"

Grader: TypeAlias = Callable[[Any, Path, Path], Reward]

# A grader placed here is used instead of the one in the mode's module.
GRADERS: dict[Mode, Grader] = {}

# Helpers that read numbers or compare texts: they load with their first use.
_DEFERRED = {
    "negative_candidate": "verifyit._probe",
    "positive_candidate": "verifyit._probe",
    "numeric_tolerance": "verifyit._tolerance",
}


def __getattr__(name: str) -> object:
    if name not in _DEFERRED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_DEFERRED[name]), name)


def mode_module(mode: Mode) -> ModuleType:
    """The module that grades a mode, loaded now if it is not yet.

    Raises:
        ImportError: The module needs a package that is not installed.
    """
    return importlib.import_module(f"verifyit.modes.{MODE_DESCRIPTORS[mode].module}")


def grader_for(mode: Mode) -> Grader:
    """The file grader of a mode.

    Raises:
        ImportError: The mode's module needs a package that is not installed.
    """
    if mode in GRADERS:
        return GRADERS[mode]
    return cast("Grader", mode_module(mode).grade)


def grade(spec: Spec, tests_dir: Path, workspace: Path) -> Reward:
    """Grade what a candidate left in a workspace.

    Args:
        spec: What to grade by.
        tests_dir: The folder that the paths in the spec are relative to.
        workspace: The folder that stands for ``/app``.

    Raises:
        GradingInfraError: Grading could not be carried out.
    """
    try:
        return grader_for(mode_of(spec))(spec, tests_dir, workspace)
    except InvalidTask as error:
        return invalid_task(str(error))


def run(spec_path: Path, workspace: Path) -> Reward:
    """Grade by a spec file. Whatever happens is a verdict."""
    try:
        spec = parse_spec(spec_path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError) as error:
        return invalid_task(f"cannot read verifier spec {spec_path}: {error}")
    try:
        return validated(grade(spec, spec_path.parent, workspace))
    except GradingInfraError as error:
        return validated(infra_error(f"{type(error).__name__}: {error}", **error.detail))
    except Exception as error:  # noqa: BLE001 - the boundary: a grader's crash is a verdict too
        return infra_error(f"{type(error).__name__}: {error}")


def main(argv: list[str] | None = None) -> int:
    """The ``verifyit`` command: grade, write the verdict's files, and exit 0 whatever the verdict.

    Raises:
        OSError: The verdict's files cannot be written.
    """
    import argparse  # noqa: PLC0415 - only the command needs these, and importing must stay cheap
    import logging  # noqa: PLC0415

    parser = argparse.ArgumentParser(prog="verifyit", description="Grade an answer by a spec.")
    parser.add_argument("spec", type=Path, help="the verifier.toml to grade by")
    parser.add_argument("--logs-dir", type=Path, default=Path(DEFAULT_LOGS_DIR), metavar="DIR")
    parser.add_argument("--workspace", type=Path, default=Path(DEFAULT_WORKSPACE), metavar="DIR")
    options = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    # Now, so that a grader killed half-way leaves no earlier verdict behind.
    clear_reward(options.logs_dir)
    verdict = run(options.spec, options.workspace)
    write_reward(options.logs_dir, verdict)
    logging.getLogger("verifyit").info("reward=%s status=%s", verdict.reward, verdict.status)
    return 0
