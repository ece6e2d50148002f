"""Mode ``junit``: a command of the task runs tests and leaves JUnit XML reports."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ET
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from verifyit.execution.command import run_command
from verifyit.file_ops.read import read_regular_bytes
from verifyit.file_ops.restore import restore
from verifyit.modes.run import (
    STDERR_TAIL,
    check_ids,
    require_timeout,
    run_setup,
    setup_failure,
    split_command,
    workdir,
)
from verifyit.reward import InvalidTask, Reward, scored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifyit.spec import JunitSpec

# Reports hold what tests print; a long build's fits.
MAX_REPORT_BYTES: Final = 64 * 1024 * 1024
_COUNTED: Final = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def grade(spec: JunitSpec, tests_dir: Path, workspace: Path) -> Reward:
    """Run the command and grade the reports it leaves, all or nothing.

    Raises:
        InvalidTask: The spec is unusable, or a file to restore is missing.
        RuntimeError: The command did not do its work, or a report contradicts itself.
        OSError: The command cannot be started, or a report cannot be read.
    """
    deadline = time.monotonic() + require_timeout(spec.timeout)
    argv = split_command(spec.command)
    _validate_glob(spec.report)
    folder = workdir(spec, workspace)
    restore(spec.restore, tests_dir, folder)
    if spec.setup:
        failed = setup_failure(run_setup(spec.setup, tests_dir, folder, spec.timeout))
        if failed is not None:
            return failed
    for old in list(folder.glob(spec.report)):
        if old.is_symlink() or old.is_file():
            old.unlink()
    completed = run_command(argv, folder, max(deadline - time.monotonic(), 0.0))
    if completed.timed_out:
        return scored(0.0, reason="timeout", passed=0, total=0)
    tail = (completed.stdout + completed.stderr)[-STDERR_TAIL:]
    if completed.returncode not in (0, 1):
        raise RuntimeError(f"the test command exited {completed.returncode}: {tail}")
    reports = sorted(folder.glob(spec.report))
    if not reports:
        return scored(0.0, reason="no_report", exit_code=completed.returncode, output=tail, passed=0, total=0)
    inside = folder.resolve()
    if not all(path.resolve().is_relative_to(inside) for path in reports):
        # Old reports were removed, so the link was made during the run.
        return scored(0.0, reason="report_outside", exit_code=completed.returncode, passed=0, total=0)
    outcomes: dict[str, bool] = {}
    for path in reports:
        for test, passed in _read_report(path):
            outcomes[test] = outcomes.get(test, True) and passed
    if completed.returncode == 1 and outcomes and all(outcomes.values()):
        raise RuntimeError(f"the test command failed although every test passed: {tail}")
    return check_ids(
        outcomes,
        spec.must_pass,
        spec.must_not_break,
        exit_code=completed.returncode,
        reports=len(reports),
    )


def _validate_glob(pattern: str) -> None:
    path = PurePosixPath(pattern)
    if not path.parts or path.is_absolute() or ".." in path.parts:
        raise InvalidTask(f"report must be a pattern inside the workspace, not {pattern!r}")
    if any("**" in part and part != "**" for part in path.parts):
        raise InvalidTask(f"report {pattern!r}: ** must be a whole part of the pattern")


def _read_report(path: Path) -> Iterator[tuple[str, bool]]:
    try:
        root = ET.fromstring(read_regular_bytes(path, limit_bytes=MAX_REPORT_BYTES))  # noqa: S314 - expat caps expansion
    except (ET.ParseError, ValueError) as error:
        raise RuntimeError(f"report {path.name} cannot be read: {error}") from error
    for suite in root.iter("testsuite"):
        _check_counts(suite, path.name)
    for case in root.iter("testcase"):
        if case.find("skipped") is None:
            name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
            yield name, case.find("failure") is None and case.find("error") is None


def _check_counts(suite: ET.Element, name: str) -> None:
    cases = list(suite.iter("testcase"))
    observed = {"tests": len(cases)}
    for attribute, child in _COUNTED.items():
        observed[attribute] = sum(case.find(child) is not None for case in cases)
    for attribute, count in observed.items():
        declared = suite.get(attribute)
        if declared is not None and declared.strip() != str(count):
            raise RuntimeError(f"report {name} declares {declared} {attribute} and holds {count}")
