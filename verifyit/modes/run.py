"""What the modes that execute a workspace share: where they run, their setup, and the rule on test ids."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

from verifyit.execution.command import Completed, run_command
from verifyit.reward import InvalidTask, Reward, scored
from verifyit.spec import DEFAULT_WORKSPACE, GotestSpec, JunitSpec, PytestSpec, ScriptSpec, StdioSpec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# How much of a program's output a verdict shows.
STDERR_TAIL: Final = 2000


def workdir(spec: StdioSpec | PytestSpec | JunitSpec | GotestSpec | ScriptSpec, workspace: Path) -> Path:
    """Where a spec's programs run: the caller's workspace, unless the spec names one of its own."""
    return workspace if spec.workspace == DEFAULT_WORKSPACE else Path(spec.workspace)


def require_timeout(value: object, name: str = "timeout") -> float:
    """A deadline of a spec, checked.

    Raises:
        InvalidTask: It is not a finite number above 0.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise InvalidTask(f"{name} must be a finite number of seconds above 0, not {value!r}")
    return float(value)


def run_setup(command: str, tests_dir: Path, workspace: Path, timeout: float) -> Completed:
    """Run a spec's setup line in the workspace, with the paths of the grading in its environment.

    Raises:
        OSError: There is no bash, or no workspace.
    """
    return run_command(
        ["bash", "-lc", command], workspace, timeout, env=grading_environment(tests_dir, workspace)
    )


def grading_environment(tests_dir: Path, workspace: Path) -> dict[str, str]:
    """The variables that tell a task's programs where things are."""
    return {
        "VERIFYIT_TESTS_DIR": str(tests_dir.absolute()),
        "VERIFYIT_WORKSPACE": str(workspace.absolute()),
    }


def setup_failure(completed: Completed) -> Reward | None:
    """The verdict on a setup that failed, None for one that did not."""
    if completed.returncode == 0 and not completed.timed_out:
        return None
    return scored(0.0, reason="setup_failed", stderr=completed.stderr[-STDERR_TAIL:], passed=0, total=0)


def split_command(command: str) -> list[str]:
    """The words of a command line, read as a shell would and without a shell.

    Raises:
        InvalidTask: The line is empty, or a quotation in it does not end.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidTask(f"command {command!r} cannot be split: {error}") from None
    if not words:
        raise InvalidTask("command is empty")
    return words


def check_ids(
    outcomes: Mapping[str, bool], must_pass: Sequence[str], must_not_break: Sequence[str], **detail: object
) -> Reward:
    """All or nothing: 1 if every required test was reported and passed.

    A required test that was not reported has failed. Without required tests every reported one is
    required, and there must be one.

    Args:
        outcomes: Test id to whether it passed; skipped tests are absent.
        must_pass: Tests that the candidate has to make pass.
        must_not_break: Tests that passed before and still have to.
        **detail: What else to say in the verdict.
    """
    required = list(dict.fromkeys((*must_pass, *must_not_break))) or list(outcomes)
    if not required:
        return scored(0.0, reason="no_tests", passed=0, total=0, first_failure=None, **detail)
    failed = [test for test in required if outcomes.get(test) is not True]
    return scored(
        0.0 if failed else 1.0,
        passed=len(required) - len(failed),
        total=len(required),
        first_failure=failed[0] if failed else None,
        **detail,
    )
