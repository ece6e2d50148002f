"""One run of pytest over some test paths: start it, read its report, say what the run amounts to.

The bootstrap file runs in the task's Python and writes the report to a scratch folder. A first file there
marks that pytest is about to load the workspace: a process that vanishes after that mark was ended from
inside, and where pytest works otherwise that is the candidate's doing.
"""

from __future__ import annotations

import json
import os
import secrets
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from verifyit.execution.command import Completed, run_command
from verifyit.file_ops.read import read_regular_bytes
from verifyit.json_objects import decode_unique
from verifyit.modes._pytest_blame import Failure, Ground, missing_in_tests
from verifyit.reward import InvalidTask, Reward, scored

if TYPE_CHECKING:
    from collections.abc import Sequence

BOOTSTRAP: Final = Path(__file__).with_name("_pytest_bootstrap.py")
# Judge-side switches: one report, no cache that an earlier run could have filled, no options from ini files.
FIXED_ARGS: Final = ("-p", "no:cacheprovider", "-o", "addopts=")
OUTPUT_TAIL: Final = 500
# A report names every test; a suite of a hundred thousand fits.
MAX_REPORT_BYTES: Final = 64 * 1024 * 1024
# A probe is given this long even if the candidate used up the deadline.
PROBE_S: Final = 20.0
# Where pytest looks for its settings.
INI_NAMES: Final = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")

_PASSED: Final = frozenset({"passed", "xpassed"})
_FAILED: Final = frozenset({"failed", "error", "unrun"})
_SKIPPED: Final = frozenset({"skipped", "xfailed"})


@dataclass(frozen=True)
class PytestRun:
    """What all batches of one grading share."""

    python: str
    args: tuple[str, ...]
    ground: Ground
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Batch:
    """What one batch amounts to.

    Attributes:
        outcomes: Test id to whether it passed.
        skipped: Tests that were skipped or failed as expected.
        exit_code: Of pytest.
        output: What was printed.
        failure: The verdict to give unless a later batch finds the task or the machine at fault.
        final: The failure stands at once.
    """

    outcomes: dict[str, bool] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()
    exit_code: int = 0
    output: str = ""
    failure: Reward | None = None
    final: bool = False


def run_batch(run: PytestRun, paths: Sequence[str], timeout: float) -> Batch:
    """Run pytest over some paths.

    Raises:
        InvalidTask: The listed tests import modules that do not exist.
        RuntimeError: Pytest could not do its work, through no doing of the candidate.
    """
    completed, report, begun = _start(run, (*run.args, *paths), timeout)
    if completed.timed_out:
        return Batch(failure=scored(0.0, reason="timeout", timeout=timeout, passed=0, total=0), final=True)
    return _judge(run, paths, completed, report, begun=begun)


def _start(
    run: PytestRun, args: Sequence[str], timeout: float
) -> tuple[Completed, dict[str, Any] | None, bool]:
    """How pytest ended, its report if it left one, and whether it had begun to load the workspace."""
    with tempfile.TemporaryDirectory(prefix="verifyit-pytest-") as folder:
        scratch = Path(folder)
        token = secrets.token_hex(16)
        workspace = str(run.ground.workspace)
        job = {
            "token": token,
            "report": str(scratch / "report.json"),
            "workspace": workspace,
            "protected": [str(path) for path in run.ground.protected],
            "args": [*FIXED_ARGS, *args],
        }
        job_path = scratch / "job.json"
        job_path.write_text(json.dumps(job), encoding="utf-8")
        argv = [run.python, str(BOOTSTRAP), str(job_path)]
        completed = run_command(argv, run.ground.workspace, timeout, env=run.environment)
        begun = (scratch / "report.json.begun").exists()
        return completed, _read_report(scratch / "report.json", token), begun


def _read_report(path: Path, token: str) -> dict[str, Any] | None:
    try:
        report = decode_unique(read_regular_bytes(path, limit_bytes=MAX_REPORT_BYTES).decode("utf-8"))
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) and report.get("token") == token else None


def _judge(
    run: PytestRun, paths: Sequence[str], completed: Completed, report: dict[str, Any] | None, *, begun: bool
) -> Batch:
    output = completed.stdout + completed.stderr
    if report is None:
        return _without_report(run, completed, output, begun=begun)
    failures = [Failure.from_record(record) for record in report["records"]]
    blame = _Blame(run, paths, failures, completed.returncode, output)
    interrupts = [failure for failure in failures if failure.kind == "interrupt"]
    if interrupts and all(map(run.ground.attributable, interrupts)):
        return blame.remember("interrupted", passed=0, total=0)
    if interrupts:
        raise RuntimeError(f"pytest was interrupted: {output[-OUTPUT_TAIL:]}")
    if completed.returncode not in (0, 1, 2, 5):
        own = failures and all(map(run.ground.attributable, failures)) and _pytest_works(run.python)
        if own or _ini_is_to_blame(run, paths):
            return blame.remember("startup_error", passed=0, total=0)
        raise blame.fault("pytest wrote no json report")
    if report["failed_collectors"]:
        return blame.collection(report["failed_collectors"])
    if completed.returncode == 2:
        raise RuntimeError(f"pytest was interrupted: {output[-OUTPUT_TAIL:]}")
    if completed.returncode == 5:
        return blame.remember("no_tests", passed=0, total=0)
    return _tally(run, completed.returncode, report, output)


def _without_report(run: PytestRun, completed: Completed, output: str, *, begun: bool) -> Batch:
    tail = output[-OUTPUT_TAIL:]
    if begun and _pytest_works(run.python):
        blame = _Blame(run, (), [], completed.returncode, output)
        return blame.remember("startup_error", passed=0, total=0)
    raise RuntimeError(f"pytest wrote no json report (exit code {completed.returncode}): {tail}")


@dataclass(frozen=True)
class _Blame:
    """The failures of a batch, and the verdicts that follow from them."""

    run: PytestRun
    paths: Sequence[str]
    failures: list[Failure]
    exit_code: int
    output: str

    def remember(self, reason: str, **counts: int) -> Batch:
        """A batch that fails by the candidate's doing."""
        verdict = scored(
            0.0,
            reason=reason,
            category="agent",
            exit_code=self.exit_code,
            output=self.output[-OUTPUT_TAIL:],
            files=self.run.ground.files(self.failures),
            **counts,
        )
        return Batch(exit_code=self.exit_code, output=self.output, failure=verdict)

    def collection(self, failed_collectors: list[str]) -> Batch:
        """What failed collectors amount to.

        Raises:
            InvalidTask: The listed tests import modules that do not exist.
            RuntimeError: The failure is not the candidate's.
        """
        recorded = {failure.nodeid for failure in self.failures}
        if recorded != set(failed_collectors):
            raise RuntimeError(
                f"the collectors that failed are not those recorded: {self.output[-OUTPUT_TAIL:]}"
            )
        if all(map(self.run.ground.attributable, self.failures)):
            return self.remember("collection_error")
        raise self.fault("pytest could not collect the tests")

    def fault(self, message: str) -> Exception:
        """The exception for a failure that is not the candidate's."""
        workspace = self.run.ground.workspace
        tests = [Path(os.path.realpath(workspace / path.split("::")[0])) for path in self.paths]
        missing = missing_in_tests(self.failures, tests) if self.failures else []
        if missing:
            return InvalidTask(f"the tests import modules that are not installed: {', '.join(missing)}")
        return RuntimeError(f"{message} (exit code {self.exit_code}): {self.output[-OUTPUT_TAIL:]}")


def _tally(run: PytestRun, exit_code: int, report: dict[str, Any], output: str) -> Batch:
    tests: dict[str, str] = report["tests"]
    counts: dict[str, int] = defaultdict(int, total=len(tests))
    for outcome in tests.values():
        counts[outcome] += 1
    known = _PASSED | _FAILED | _SKIPPED
    if report["summary"] != counts or not set(tests.values()) <= known:
        raise RuntimeError("pytest's report contradicts itself")
    if exit_code == 1 and not _FAILED & set(tests.values()):
        raise RuntimeError("pytest failed although every test it reported passed")
    rebased = {
        _rebase(test, report["rootdir"], run.ground.workspace): outcome for test, outcome in tests.items()
    }
    outcomes = {test: outcome in _PASSED for test, outcome in rebased.items() if outcome not in _SKIPPED}
    skipped = frozenset(test for test, outcome in rebased.items() if outcome in _SKIPPED)
    return Batch(outcomes, skipped, exit_code, output)


def _rebase(nodeid: str, rootdir: str | None, workspace: Path) -> str:
    """A node id relative to the workspace instead of pytest's own root."""
    file, separator, rest = nodeid.partition("::")
    if rootdir is None or Path(rootdir) == workspace:
        return nodeid
    path = os.path.relpath(Path(rootdir, file), workspace)
    return f"{path.replace(os.sep, '/')}{separator}{rest}"


def _ini_is_to_blame(run: PytestRun, paths: Sequence[str]) -> bool:
    """Whether pytest starts once a settings file of the candidate's is left out."""
    workspace = run.ground.workspace
    folders = {workspace}
    for path in paths:
        folders.update((workspace / path.split("::")[0]).parents)
    if not any(run.ground.is_candidates(str(folder / name)) for folder in folders for name in INI_NAMES):
        return False
    with tempfile.TemporaryDirectory(prefix="verifyit-probe-") as folder:
        neutral = Path(folder, "neutral.ini")
        neutral.write_text("[pytest]\n", encoding="utf-8")
        args = ("-c", str(neutral), "--rootdir", str(workspace), "--collect-only", *run.args, *paths)
        completed, report, _begun = _start(run, args, PROBE_S)
    return report is not None and completed.returncode in (0, 1, 2, 5)


_PROBE: Final = """
import sys, pytest
options = ["-q", "-p", "no:cacheprovider", "-c", "probe.ini", "--junitxml=report.xml"]
sys.exit(pytest.main([*options, "test_probe.py"]))
"""


def _pytest_works(python: str) -> bool:
    """Whether this Python runs one trivial test in a folder of its own, with nothing of the workspace."""
    with tempfile.TemporaryDirectory(prefix="verifyit-probe-") as folder:
        scratch = Path(folder)
        (scratch / "probe.ini").write_text("[pytest]\n", encoding="utf-8")
        (scratch / "test_probe.py").write_text("def test_probe():\n    assert True\n", encoding="utf-8")
        cleared = {"PYTEST_ADDOPTS": "", "PYTEST_PLUGINS": ""}
        completed = run_command([python, "-I", "-c", _PROBE], scratch, PROBE_S, env=cleared)
        return completed.returncode == 0 and (scratch / "report.xml").is_file()
