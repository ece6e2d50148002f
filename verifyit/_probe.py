"""Candidates made from a spec, for a task's self-test: one that should pass, one that should fail."""

from __future__ import annotations

import string
from fractions import Fraction

from verifyit._tolerance import numeric_tolerance
from verifyit.modes.grade_exact import grade_exact_candidate
from verifyit.numeric import numeric_literal
from verifyit.spec import (
    RUBRIC_LABELS,
    RUBRIC_REFERENCE,
    ExactSpec,
    JudgeSpec,
    MathSpec,
    McqSpec,
    NumericSpec,
    Spec,
)


def positive_candidate(spec: Spec) -> str | None:
    """A text that should score 1, or None where the spec does not give one away."""
    match spec:
        case McqSpec():
            return spec.expected.strip().upper()
        case MathSpec() | NumericSpec():
            return f"\\boxed{{{spec.expected}}}"
        case ExactSpec():
            return _passing_list(spec)
        case JudgeSpec():
            return _gate_answer(spec)
        case _:
            return None


def negative_candidate(spec: Spec) -> str | None:
    """A text that should score 0, or None where there is no safe guess.

    Raises:
        InvalidTask: The tolerances of a numeric spec are unusable.
        ValueError: The expected value of a numeric spec is not a number.
    """
    match spec:
        case McqSpec():
            right = spec.expected.strip().upper()
            letters = string.ascii_uppercase[: spec.options]
            return next((letter for letter in letters if letter != right), None)
        case NumericSpec():
            return _number_out_of_tolerance(spec)
        case ExactSpec():
            reversed_list = "\n".join(reversed(spec.expected))
            several = len(spec.expected) > 1 and spec.ordered
            return reversed_list if several and not _passes(spec, reversed_list) else None
        case _:
            return None


def _passes(spec: ExactSpec, candidate: str) -> bool:
    return grade_exact_candidate(spec, candidate).reward == 1


def _passing_list(spec: ExactSpec) -> str | None:
    candidate = "\n".join(spec.expected)
    # An entry with a comma in it, for one, has no candidate that matches.
    return candidate if _passes(spec, candidate) else None


def _gate_answer(spec: JudgeSpec) -> str | None:
    if spec.constraints:
        return None
    if spec.rubric == RUBRIC_REFERENCE and spec.exact_gate:
        return next((text for text in spec.references if text.strip()), None)
    if spec.rubric == RUBRIC_LABELS and spec.label_scores.get(spec.exact_gate_label) == 1:
        return next(iter(spec.exact_gate_answers), None)
    return None


def _number_out_of_tolerance(spec: NumericSpec) -> str:
    expected = numeric_literal(spec.expected)
    distance = max(2 * numeric_tolerance(spec), Fraction(1))
    for value in (expected + distance, expected - distance):
        try:
            numeric_literal(str(value))
        except ValueError:
            # Too many digits for a literal, or for Python to print.
            continue
        return f"\\boxed{{{value}}}"
    return "\\boxed{}"
