"""Mode ``stdio``: the candidate's program is run on the task's inputs and its outputs are compared."""

from __future__ import annotations

import errno
import math
import tempfile
from pathlib import Path
from typing import NamedTuple

from verifyit.execution.command import Completed, run_candidate, run_command
from verifyit.modes._text_comparison import NonFiniteError, same_text
from verifyit.modes.run import STDERR_TAIL, require_timeout, split_command, workdir
from verifyit.reward import InvalidTask, Reward, scored
from verifyit.spec import Compare, StdioSpec

# What starting a program that is not there, or is no program, fails with.
_CANNOT_START = (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR)


class Case(NamedTuple):
    """One input and the output it should give; ``number`` is what its file's name says."""

    number: str
    stdin: Path
    expected: Path


def grade(spec: StdioSpec, tests_dir: Path, workspace: Path) -> Reward:
    """Build the program, run it on every case in turn, and stop at the first that fails.

    Raises:
        InvalidTask: The spec is unusable, or its cases or its judge are missing.
        OSError: A program cannot be started for a reason that is not the candidate's.
    """
    argv = _validate(spec, tests_dir)
    cases = _find_cases(spec, tests_dir)
    folder = workdir(spec, workspace)
    if spec.build:
        built = run_candidate(["bash", "-lc", spec.build], folder, spec.per_case_timeout * len(cases))
        if built.timed_out or built.returncode != 0:
            return scored(
                0.0, reason="build_failed", stderr=built.stderr[-STDERR_TAIL:], passed=0, total=len(cases)
            )
    for passed, case in enumerate(cases):
        failure = _failure(spec, tests_dir, argv, folder, case)
        if failure is not None:
            return scored(0.0, **failure, passed=passed, total=len(cases), first_failure=case.number)
    return scored(1.0, passed=len(cases), total=len(cases), first_failure=None)


def grade_stdio_candidate(spec: StdioSpec, candidate: str, expected: str) -> Reward:
    """Compare one output that is already there with the expected one.

    Raises:
        InvalidTask: The spec is unusable or has a judge of its own, or the expected output is not text.
    """
    _validate_comparison(spec)
    if spec.special_judge is not None:
        raise InvalidTask("a special judge needs the files of the case")
    reference: object = expected
    if not isinstance(reference, str):
        raise InvalidTask(f"the expected output must be text, not {type(reference).__name__}")
    answer: object = candidate
    if not isinstance(answer, str):
        return scored(0.0, reason="invalid_stdout")
    problem = _mismatch(spec, candidate, expected)
    return scored(1.0) if problem is None else scored(0.0, reason=problem)


def _validate(spec: StdioSpec, tests_dir: Path) -> list[str]:
    argv = split_command(spec.command)
    require_timeout(spec.per_case_timeout, "per_case_timeout")
    _validate_comparison(spec)
    if isinstance(spec.min_cases, bool) or not isinstance(spec.min_cases, int):
        raise InvalidTask(f"min_cases must be an integer, not {spec.min_cases!r}")
    judge = spec.special_judge
    if judge is not None and not (isinstance(judge, str) and (tests_dir / judge).is_file()):
        raise InvalidTask(f"special judge {judge!r} is not a file of the task")
    return argv


def _validate_comparison(spec: StdioSpec) -> None:
    if not isinstance(spec.compare, Compare):
        raise InvalidTask(f"compare must be a Compare, not {spec.compare!r}")
    tolerance = spec.float_tolerance
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 <= tolerance < math.inf:
        raise InvalidTask(f"float_tolerance must be finite and not negative, not {tolerance!r}")


def _find_cases(spec: StdioSpec, tests_dir: Path) -> list[Case]:
    folder = tests_dir / spec.cases
    if not folder.is_dir():
        raise InvalidTask(f"the cases folder {spec.cases!r} is missing")
    cases = []
    for stdin in folder.rglob("input_*.txt"):
        number = stdin.stem.removeprefix("input_")
        places = (stdin.parent, folder / "outputs", folder)
        expected = next(
            (path for place in places if (path := place / f"output_{number}.txt").is_file()), None
        )
        if expected is None:
            raise InvalidTask(f"case {number!r} has no output_{number}.txt")
        cases.append(Case(number, stdin, expected))
    if len(cases) < max(spec.min_cases, 1):
        raise InvalidTask(f"{len(cases)} cases where at least {max(spec.min_cases, 1)} are needed")
    if spec.compare is Compare.DECIMAL_LINES and spec.special_judge is None:
        for case in cases:
            _mismatch(spec, "", _read(case.expected))
    return sorted(cases, key=_order)


def _order(case: Case) -> tuple[bool, int, str, str]:
    # int() refuses more digits than this; such a name sorts as text.
    numeric = case.number.isascii() and case.number.isdigit() and len(case.number) < 1000
    return (not numeric, int(case.number) if numeric else 0, case.number, str(case.stdin))


def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _failure(
    spec: StdioSpec, tests_dir: Path, argv: list[str], folder: Path, case: Case
) -> dict[str, object] | None:
    """Why a case fails, or None if it passes."""
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no workspace {folder}")
    try:
        completed = run_candidate(argv, folder, spec.per_case_timeout, stdin_text=_read(case.stdin))
    except OSError as error:
        if error.errno not in _CANNOT_START:
            raise
        return {"reason": "command_failed", "error": str(error)}
    ending = _bad_ending(completed)
    if ending is not None:
        return ending
    if spec.special_judge is not None:
        accepted = _ask_judge(tests_dir / spec.special_judge, case, completed.stdout, spec.per_case_timeout)
        return None if accepted else {"reason": "mismatch"}
    problem = _mismatch(spec, completed.stdout, _read(case.expected))
    return None if problem is None else {"reason": problem}


def _bad_ending(completed: Completed) -> dict[str, object] | None:
    if completed.timed_out:
        return {"reason": "timeout"}
    if completed.returncode != 0:
        stderr = completed.stderr[-STDERR_TAIL:]
        return {"reason": "runtime_error", "returncode": completed.returncode, "stderr": stderr}
    return {"reason": "output_too_large"} if completed.truncated else None


def _mismatch(spec: StdioSpec, candidate: str, expected: str) -> str | None:
    try:
        same = same_text(candidate, expected, spec.compare, spec.float_tolerance)
    except NonFiniteError:
        return "nonfinite_stdout"
    return None if same else "mismatch"


def _ask_judge(judge: Path, case: Case, got: str, timeout: float) -> bool:
    """Whether the task's judge accepts; a judge that crashes does not."""
    judge, stdin, expected = judge.absolute(), case.stdin.absolute(), case.expected.absolute()
    with tempfile.TemporaryDirectory(prefix="verifyit-stdio-") as scratch:
        output = Path(scratch, "got.txt")
        output.write_bytes(got.encode("utf-8", "replace"))
        argv = ["python3", str(judge), str(stdin), str(expected), str(output)]
        completed = run_command(argv, judge.parent, timeout)
    lines = completed.stdout.split("\n")
    return completed.returncode == 0 and next(filter(None, map(str.strip, reversed(lines))), "") == "1"
