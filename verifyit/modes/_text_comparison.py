"""Comparing what a program printed with what it should have printed."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Final

from verifyit.reward import InvalidTask
from verifyit.spec import Compare

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?")
_NONFINITE: Final = re.compile(r"[+-]?(?:inf(?:inity)?|s?nan[0-9]*)", re.IGNORECASE)

_Line = list[Decimal] | str


class NonFiniteError(ValueError):
    """A line of numbers holds NaN or an infinity."""


def same_text(candidate: str, expected: str, compare: Compare, tolerance: float) -> bool:
    """Whether two outputs agree.

    Args:
        candidate: What was printed.
        expected: What should have been.
        compare: The rule: lines without trailing blanks, tokens, tokens that may be near floats, or lines
            of exact decimals.
        tolerance: For ``float``: absolute, or relative to the expected number.

    Raises:
        NonFiniteError: The candidate's line of decimals holds NaN or an infinity.
        InvalidTask: The reference's does.
    """
    if compare is Compare.EXACT:
        return _lines(candidate) == _lines(expected)
    if compare is Compare.TOKENS:
        return candidate.split() == expected.split()
    if compare is Compare.FLOAT:
        got, wanted = candidate.split(), expected.split()
        return len(got) == len(wanted) and all(
            _near(one, other, tolerance) for one, other in zip(got, wanted, strict=True)
        )
    try:
        reference = _decimal_lines(expected)
    except NonFiniteError as error:
        raise InvalidTask(f"the expected output {error}") from None
    return _decimal_lines(candidate) == reference


def _lines(text: str) -> list[str]:
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    kept = [place for place, line in enumerate(lines) if line]
    return lines[kept[0] : kept[-1] + 1] if kept else []


def _near(got: str, expected: str, tolerance: float) -> bool:
    if got == expected:
        return True
    one, other = _float(got), _float(expected)
    if one is None or other is None:
        return False
    if not (math.isfinite(one) and math.isfinite(other)):
        return one == other
    return abs(one - other) <= max(tolerance, tolerance * abs(other))


def _float(token: str) -> float | None:
    if _NUMBER.fullmatch(token) or _NONFINITE.fullmatch(token):
        try:
            return float(token)
        except ValueError:
            # "snan" is a Decimal and no float.
            return None
    return None


def _decimal_lines(text: str) -> list[_Line]:
    return [_decimal_line(line) for line in text.strip().split("\n")]


def _decimal_line(line: str) -> _Line:
    tokens = line.split()
    if not all(_NUMBER.fullmatch(token) or _NONFINITE.fullmatch(token) for token in tokens):
        return line.strip()
    if any(_NONFINITE.fullmatch(token) for token in tokens):
        raise NonFiniteError(f"holds a number that is not finite: {line.strip()[:80]!r}")
    return [Decimal(token) for token in tokens]
