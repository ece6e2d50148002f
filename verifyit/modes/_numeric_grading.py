"""The numeric mode and its direct helpers; published by grade_math. Standard library only."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from verifyit._answer import empty_output_policy
from verifyit._finite import is_finite_number
from verifyit._tolerance import numeric_tolerance
from verifyit.numeric import NumericCandidateError, extract_numeric_candidate, numeric_literal
from verifyit.reward import InvalidTask, Reward, scored

if TYPE_CHECKING:
    from verifyit.spec import NumericSpec


def validate_numeric(spec: NumericSpec) -> None:
    """Check that the spec can be graded by.

    Raises:
        InvalidTask: The expected value is not a numeric literal, or a tolerance is unusable.
    """
    empty_output_policy(spec)
    numeric_tolerance(spec)


def grade_numeric_candidate(spec: NumericSpec, value: Fraction) -> Reward:
    """Whether a number is within the tolerance of the expected one, all in exact arithmetic.

    Raises:
        InvalidTask: The spec cannot be graded by.
        TypeError: The value is not a Fraction.
    """
    validate_numeric(spec)
    if not isinstance(value, Fraction):
        raise TypeError(f"the value must be a Fraction, not {type(value).__name__}")
    within = abs(value - numeric_literal(spec.expected)) <= numeric_tolerance(spec)
    return scored(
        float(within),
        extracted=str(value),
        expected=spec.expected,
        tolerance_abs=spec.tolerance_abs,
        tolerance_rel=spec.tolerance_rel,
    )


def grade_numeric_text_candidate(spec: NumericSpec, text: str) -> Reward:
    """Whether the one number that a text gives as its answer is within the tolerance.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_numeric(spec)
    try:
        value = extract_numeric_candidate(text)
    except NumericCandidateError as error:
        return scored(0.0, reason="invalid_numeric_candidate", error=str(error))
    return grade_numeric_candidate(spec, value)


def grade_numeric_candidate_float(expected: float, value: float | None, *, tolerance_abs: float) -> Reward:
    """Whether two floats differ by at most the tolerance, in float arithmetic.

    Raises:
        InvalidTask: The expected value or the tolerance is not a finite number, or the tolerance is
            negative.
    """
    if not is_finite_number(expected) or not is_finite_number(tolerance_abs) or tolerance_abs < 0:
        raise InvalidTask("the expected value and the tolerance must be finite, the tolerance at least 0")
    if not is_finite_number(value):
        return scored(0.0, reason="nonfinite_candidate")
    assert value is not None
    return scored(float(abs(value - expected) <= tolerance_abs))
