"""Runs the assertions of published test code against a solution, one case each.

This file is put beside such a verifier (see `deepgym.datasets`): standard library only, complete in itself.
Every `assert` of the test code stands in a block `with deepgym_cases.case(n) as deepgym_case:`, so that one
that fails does not hide the next; an equality is written `deepgym_case.equal(got, expected)`, so that both
sides can be shown. An assertion in a loop gives a case for each time it is reached; one that is never reached
gives a failed case.
"""

import os
from collections.abc import Callable, Sequence
from types import ModuleType, TracebackType
from typing import Self

__all__ = ["TRUTH_PREFIX", "Case", "Recorder", "add_truths", "run_checks"]

# What `assert f(x)` calls in place of f.
TRUTH_PREFIX = "deepgym_truth_"

# What people read of a value; the verdict's own limits are wider.
MAX_SHOWN_CHARS = 300


class Recorder:
    """The cases of one run: planned ones by number, and what became of them."""

    def __init__(self, planned: Sequence[str]) -> None:
        self._planned = planned
        self._reached = [0] * len(planned)
        self._cases: list[dict[str, object]] = []

    def case(self, number: int) -> "Case":
        """The block of an assertion."""
        self._reached[number] += 1
        times = self._reached[number]
        name = f"assert_{number}" if times == 1 else f"assert_{number}.{times}"
        return Case(name, self._planned[number], self._cases)

    def fail(self, name: str, error: BaseException) -> None:
        """Record what stopped the test code outside of every assertion."""
        self._cases.append({"id": name, "passed": False, "error": _describe(error)})

    def verdict(self) -> dict[str, object]:
        """The verdict over all cases; an assertion that was never reached is a failed one."""
        for number, (text, times) in enumerate(zip(self._planned, self._reached, strict=True)):
            if not times:
                name = f"assert_{number}"
                error = "not reached"
                self._cases.append({"id": name, "passed": False, "input_summary": text, "error": error})
        hits = sum(case["passed"] is True for case in self._cases)
        total = len(self._cases)
        return {
            "score": hits / total if total else 0.0,
            "passed": 0 < hits == total,
            "details": f"{hits} of {total} assertions hold",
            "cases": self._cases,
        }


class Case:
    """One assertion while it runs; leaving the block records it."""

    def __init__(self, name: str, text: str, cases: list[dict[str, object]]) -> None:
        self._record: dict[str, object] = {"id": name, "passed": False, "input_summary": text}
        self._cases = cases

    def equal(self, got: object, expected: object) -> object:
        """Whether the two are equal, by the test's own `==`; what was compared is kept to be shown."""
        self._record["actual_summary"] = _show(got)
        self._record["expected_summary"] = _show(expected)
        return got == expected

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        # A machine that failed (LaunchError) or a judge that is told to stop is no Exception, and is not
        # ours.
        if error is not None and not isinstance(error, Exception):
            return False
        self._record["passed"] = error is None
        if error is not None:
            self._record["error"] = _describe(error)
        self._cases.append(self._record)
        return True


def run_checks(
    checks: ModuleType, solution: object, *, names: Sequence[str], planned: Sequence[str]
) -> dict[str, object]:
    """The verdict of a module of test code on a solution.

    Args:
        checks: A module with a function `deepgym_check()`; `deepgym_cases` and the names are set in it.
        solution: The proxy of the solution.
        names: Functions that the test code calls and the solution defines.
        planned: The text of every assertion.
    """
    recorder = Recorder(planned)
    namespace = vars(checks)
    namespace["deepgym_cases"] = recorder
    for name in names:
        namespace[name] = _late(solution, name)
    try:
        namespace["deepgym_check"]()
    except Exception as error:  # noqa: BLE001 -- test code may raise anything once an answer misleads it
        recorder.fail("check", error)
    return recorder.verdict()


def add_truths(solution_path: str, names: Sequence[str]) -> str:
    """The path of a copy of the solution that also answers whether what its functions return is true.

    `assert f(x)` asks for no more, and an honest answer may return what cannot leave its process, such as a
    match of a regular expression. A solution gains nothing by it: it could return True as well.
    """
    if not names:
        return solution_path
    with open(solution_path, "rb") as file:
        source = file.read()
    adapters = [
        f"\ndef {TRUTH_PREFIX}{name}(*args, **kwargs):\n    return bool({name}(*args, **kwargs))\n"
        for name in names
    ]
    copy = os.path.join(os.path.dirname(os.path.abspath(__file__)), "solution_with_truths.py")
    with open(copy, "wb") as file:
        file.write(b"\n".join([source, "".join(adapters).encode()]))
    return copy


def _late(solution: object, name: str) -> Callable[..., object]:
    """A function that is looked up when it is called (a missing one fails only there)."""

    def call(*args: object, **kwargs: object) -> object:
        function: Callable[..., object] = getattr(solution, name)
        return function(*args, **kwargs)

    return call


def _describe(error: BaseException) -> str:
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return "the assertion does not hold" if text == "AssertionError" else text


def _show(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:
        # An integer of more digits than Python prints.
        return f"a value of type {type(value).__name__} that is too large to show"
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"
