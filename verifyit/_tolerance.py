"""How far from a numeric reference an answer may be."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from verifyit._finite import is_finite_number
from verifyit._shown import shown
from verifyit.numeric import numeric_literal
from verifyit.reward import InvalidTask

if TYPE_CHECKING:
    from verifyit.spec import NumericSpec


def exact_fraction(value: float) -> Fraction:
    """The value of a finite number at its decimal spelling: 0.01 is 1/100."""
    return Fraction(value) if isinstance(value, int) else Fraction(repr(float(value)))


def numeric_tolerance(spec: NumericSpec) -> Fraction:
    """The larger of the absolute tolerance and the relative one times the expected value.

    Raises:
        InvalidTask: The expected value is not a numeric literal, or a tolerance is not a finite
            number of at least 0.
    """
    if not isinstance(spec.expected, str):
        raise InvalidTask(f"expected must be a text, not {shown(spec.expected)}")
    try:
        expected = numeric_literal(spec.expected)
    except ValueError as error:
        raise InvalidTask(f"expected is not a number: {error}") from None
    for name in ("tolerance_abs", "tolerance_rel"):
        value: object = getattr(spec, name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidTask(f"{name} must be a number, not {shown(value)}")
        if not is_finite_number(value) or value < 0:
            raise InvalidTask(f"{name} must be finite and at least 0, not {shown(value)}")
    return max(exact_fraction(spec.tolerance_abs), exact_fraction(spec.tolerance_rel) * abs(expected))
