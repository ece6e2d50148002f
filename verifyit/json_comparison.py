"""Equality of JSON values, without the coincidences of Python's ``==``.

The walk is a loop over a list, not a recursion: values of any depth compare, and the expected value
bounds the work, so that a candidate of any size, or one that holds itself, costs no more.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias, cast

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"


class NumericTypePolicy(StrEnum):
    """Whether an integer may equal a float."""

    VALUE = "value"
    STRICT = "strict"


def json_values_equal(
    expected: JsonValue,
    actual: JsonValue,
    numeric_tolerance: float | None = None,
    *,
    numeric_types: NumericTypePolicy = NumericTypePolicy.VALUE,
) -> bool:
    """Whether two JSON values are the same.

    Types must agree: a boolean is never a number, a numeric string never its number. Objects need
    the same keys, arrays the same order, strings the same code points. NaN equals nothing.

    Args:
        expected: The reference; its size bounds the work.
        actual: The value to compare with it.
        numeric_tolerance: Two floats that differ by at most this are equal.
        numeric_types: Under ``value`` an integer equals the float of exactly its value; under
            ``strict`` integers and floats always differ.
    """
    pending: list[tuple[object, object]] = [(expected, actual)]
    while pending:
        left, right = pending.pop()
        if type(left) is not type(right):
            if numeric_types is NumericTypePolicy.STRICT or not _same_number(left, right):
                return False
        elif isinstance(left, dict):
            other = cast("dict[str, object]", right)
            # A key of another type could bring an equality of its own.
            if len(left) != len(other) or any(type(key) is not str for key in other):
                return False
            if left.keys() != other.keys():
                return False
            pending.extend((item, other[key]) for key, item in left.items())
        elif isinstance(left, list):
            items = cast("list[object]", right)
            if len(left) != len(items):
                return False
            pending.extend(zip(left, items, strict=True))
        elif not _same_leaf(left, right, numeric_tolerance):
            return False
    return True


def _same_number(left: object, right: object) -> bool:
    # Python compares an int with a float by exact value, which is the rule wanted here.
    return {type(left), type(right)} == {int, float} and left == right


def _same_leaf(left: object, right: object, tolerance: float | None) -> bool:
    if type(left) not in (type(None), bool, int, float, str):
        # A type that is not JSON has an equality of its own, which is not asked.
        return False
    if tolerance is not None and isinstance(left, float) and isinstance(right, float):
        return left == right or abs(left - right) <= tolerance
    return left == right
