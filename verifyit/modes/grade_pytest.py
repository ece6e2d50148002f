"""Mode ``pytest``: the task's tests are run over the candidate's workspace by the task's own Python.

Whatever fails is sorted by who could have caused it. What the candidate's files caused is a scored 0, tests
that import what nobody has is an ``invalid_task``, and an interpreter or a pytest that does not work is
an ``infra_error``.
"""

from __future__ import annotations

import os
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from verifyit.file_ops.restore import restore, restored_files
from verifyit.modes._pytest_batch import Batch, PytestRun, run_batch
from verifyit.modes._pytest_blame import Ground
from verifyit.modes._pytest_ids import match_outcomes
from verifyit.modes.run import (
    STDERR_TAIL,
    check_ids,
    require_timeout,
    run_setup,
    setup_failure,
    workdir,
)
from verifyit.reward import GradingInfraError, InvalidTask, Reward, scored
from verifyit.spec import PytestSpec, TestIdMatching

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A batch is given at least this long, so that its time-out and not a negative number is what is reported.
_SHORTEST_S: Final = 0.001


def grade(spec: PytestSpec, tests_dir: Path, workspace: Path) -> Reward:
    """Run the tests and grade their outcomes, all or nothing.

    Raises:
        InvalidTask: The spec is unusable, a file it names is missing, or its tests import modules that
            do not exist.
        GradingInfraError: The setup failed, where the spec says that is the machine's fault.
        RuntimeError: Pytest could not do its work, through no doing of the candidate.
        OSError: The task's Python cannot be started.
    """
    deadline = time.monotonic() + _validate(spec)
    workspace = Path(os.path.realpath(workdir(spec, workspace)))
    restore(spec.restore, tests_dir, workspace)
    if spec.setup:
        completed = run_setup(spec.setup, tests_dir, workspace, deadline - time.monotonic())
        failed = setup_failure(completed)
        if failed is not None and spec.setup_failure_is_infra:
            ending = "timed out" if completed.timed_out else f"exited {completed.returncode}"
            raise GradingInfraError(f"pytest setup {ending}", stderr=completed.stderr[-STDERR_TAIL:])
        if failed is not None:
            return failed
    ground = Ground(workspace, _protected(spec, tests_dir, workspace), spec.candidate_modules)
    _drop_bytecode(ground.protected)
    run = PytestRun(spec.python, spec.args, ground, _environment(spec, workspace))
    return _grade_batches(spec, run, deadline)


def _validate(spec: PytestSpec) -> float:
    timeout = require_timeout(spec.timeout)
    if isinstance(spec.batch_size, bool) or not isinstance(spec.batch_size, int) or spec.batch_size < 0:
        raise InvalidTask(f"batch_size must be an integer of at least 0, not {spec.batch_size!r}")
    if not isinstance(spec.id_matching, TestIdMatching):
        raise InvalidTask(f"id_matching must be a TestIdMatching, not {spec.id_matching!r}")
    return timeout


def _grade_batches(spec: PytestSpec, run: PytestRun, deadline: float) -> Reward:
    """Run every batch before a failure of the candidate is returned: a fault of the task outranks it."""
    batches: list[Batch] = []
    for paths in _batches(spec.paths, spec.batch_size):
        batch = run_batch(run, paths, max(deadline - time.monotonic(), _SHORTEST_S))
        if batch.final and batch.failure is not None:
            return batch.failure
        batches.append(batch)
    failures = [batch.failure for batch in batches if batch.failure is not None]
    if failures:
        # A suite that could not run says more than one that was empty.
        told = [failure for failure in failures if failure.detail["reason"] != "no_tests"]
        return (told or failures)[0]
    skipped = frozenset[str]().union(*(batch.skipped for batch in batches))
    outcomes: dict[str, bool] = {}
    for batch in batches:
        for test, passed in batch.outcomes.items():
            outcomes[test] = outcomes.get(test, True) and passed and test not in skipped
    required = (*spec.must_pass, *spec.must_not_break)
    matched = match_outcomes(required, outcomes, skipped, spec.id_matching)
    verdict = check_ids(
        matched, spec.must_pass, spec.must_not_break, exit_code=max(batch.exit_code for batch in batches)
    )
    if verdict.reward == 1:
        return verdict
    output = "".join(batch.output for batch in batches)[-STDERR_TAIL:]
    return scored(verdict.reward, **verdict.detail, output=output)


def _batches(paths: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    step = size or max(len(paths), 1)
    for start in range(0, max(len(paths), 1), step):
        yield paths[start : start + step]


def _protected(spec: PytestSpec, tests_dir: Path, workspace: Path) -> frozenset[Path]:
    """The files of the workspace that are the task's, whatever the candidate did to it."""
    found = {workspace / file for entry in spec.restore for file in restored_files(entry, tests_dir)}
    for manifest in spec.protected_paths_files:
        try:
            lines = (tests_dir / manifest).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidTask(f"cannot read the protected paths in {manifest}: {error}") from None
        for line in filter(None, map(str.strip, lines)):
            found.update(_expand(line, workspace))
    return frozenset(found)


def _expand(line: str, workspace: Path) -> Iterator[Path]:
    relative = PurePosixPath(line)
    if relative.is_absolute() or ".." in relative.parts:
        raise InvalidTask(f"protected path {line!r} leaves the workspace")
    path = workspace / relative
    if not path.is_dir():
        yield path
        return
    for folder, _folders, names in os.walk(path):
        yield from (Path(folder, name) for name in names)


def _drop_bytecode(protected: frozenset[Path]) -> None:
    """Remove compiled copies of the task's files: one with the right date is run instead of its source."""
    for path in protected:
        if path.suffix == ".py":
            for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                compiled.unlink(missing_ok=True)


def _environment(spec: PytestSpec, workspace: Path) -> dict[str, str]:
    """Where a candidate's module is the workspace folder itself, that folder's parent is importable."""
    name = workspace.name
    is_package = any(module.split(".")[0] == name for module in spec.candidate_modules)
    if not is_package or (workspace / f"{name}.py").exists():
        return {}
    inherited = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(workspace.parent), inherited]))}
