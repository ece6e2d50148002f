"""Compares what a solution gave with what was expected. Lengths come first, and floats are given room only where told.

A difference is returned as a few words, and None means that there is none.
"""

import math
from decimal import Decimal, InvalidOperation

MAX_SHOWN_CHARS = 200
# An honest number is shorter; parsing a longer one would only cost time.
MAX_NUMBER_CHARS = 400
MAX_DEPTH = 100


def output_difference(got, expected, *, compare="tokens", tolerance=None):
    """The first difference between two printed texts.

    Args:
        got: What the solution printed.
        expected: What it should have.
        compare: "tokens": words, wherever lines end; "lines": lines without the blanks at their ends; "decimals":
            lines, in which numbers are equal by value (1.0 and 1).
        tolerance: Absolute or relative room for numbers; None for none.
    """
    if compare == "tokens":
        return _sequence_difference(got.split(), expected.split(), "token", tolerance)
    given, wanted = _lines(got), _lines(expected)
    if len(given) != len(wanted):
        return f"{len(given)} lines instead of {len(wanted)}"
    for number, (line, right) in enumerate(zip(given, wanted, strict=True), 1):
        if line == right:
            continue
        if compare == "decimals" and _equal_decimals(line, right):
            continue
        if tolerance is None or _sequence_difference(line.split(), right.split(), "token", tolerance):
            return f"line {number}: {show(line)} instead of {show(right)}"
    return None


def value_difference(got, expected, *, tolerance=None, depth=0):
    """The first difference between two values of JSON.

    A tuple may stand for a list, and 2 for 2.0, but not True for 1.
    """
    if depth > MAX_DEPTH:
        return "nested too deeply"
    if isinstance(expected, list):
        if not isinstance(got, (list, tuple)):
            return f"{show(got)} instead of {show(expected)}"
        if len(got) != len(expected):
            return f"{len(got)} items instead of {len(expected)}"
        pairs = list(enumerate(zip(got, expected, strict=True)))
    elif isinstance(expected, dict):
        if not isinstance(got, dict):
            return f"{show(got)} instead of {show(expected)}"
        given = {str(key): value for key, value in got.items()}
        if len(given) != len(got) or set(given) != set(expected):
            return f"keys {show(sorted(given))} instead of {show(sorted(expected))}"
        pairs = [(key, (given[key], value)) for key, value in expected.items()]
    else:
        return (
            None if _equal_scalars(got, expected, tolerance) else f"{show(got)} instead of {show(expected)}"
        )
    for place, (value, right) in pairs:
        difference = value_difference(value, right, tolerance=tolerance, depth=depth + 1)
        if difference:
            return f"[{place!r}] {difference}"
    return None


def show(value):
    """A value as people read it."""
    try:
        text = repr(value[: MAX_SHOWN_CHARS + 1] if isinstance(value, str) else value)
    except ValueError:
        return f"a value of type {type(value).__name__} that is too large to show"
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}…"


def _lines(text):
    lines = [line.strip() for line in text.strip().split("\n")]
    return lines if lines != [""] else []


def _sequence_difference(got, expected, word, tolerance):
    if len(got) != len(expected):
        return f"{len(got)} {word}s instead of {len(expected)}"
    for number, (given, right) in enumerate(zip(got, expected, strict=True), 1):
        if given != right and not _close_texts(given, right, tolerance):
            return f"{word} {number}: {show(given)} instead of {show(right)}"
    return None


def _close_texts(got, expected, tolerance):
    if tolerance is None:
        return False
    left, right = _number(got), _number(expected)
    return left is not None and right is not None and _close(float(left), float(right), tolerance)


def _equal_decimals(got, expected):
    left, right = [_number(text) for text in got.split()], [_number(text) for text in expected.split()]
    return None not in left and None not in right and len(left) == len(right) and left == right


def _number(text):
    if len(text) > MAX_NUMBER_CHARS or not text.isascii() or "_" in text:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _equal_scalars(got, expected, tolerance):
    numbers = (int, float)
    if isinstance(expected, bool) or not isinstance(expected, numbers):
        return type(got) is type(expected) and got == expected
    if isinstance(got, bool) or not isinstance(got, numbers):
        return False
    if got == expected:
        return True
    if tolerance is None or not (isinstance(got, float) or isinstance(expected, float)):
        return False
    try:
        return _close(float(got), float(expected), tolerance)
    except OverflowError:
        return False


def _close(got, expected, tolerance):
    return math.isfinite(got) and abs(got - expected) <= tolerance * max(1.0, abs(expected))
