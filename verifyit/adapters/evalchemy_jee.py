"""JEEBench answers, as Evalchemy scores them: letters by membership, numbers as floats."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from verifyit.adapters._answers import plain_number
from verifyit.modes.grade_exact import grade_collection_subset
from verifyit.modes.grade_math import grade_numeric_candidate_float
from verifyit.reward import InvalidTask, Reward, scored

SINGLE: Final = "MCQ"
MULTIPLE: Final = "MCQ(multiple)"
NUMBERS: Final = ("Integer", "Numeric")
TOLERANCE: Final = 0.01
ITEM_CREDIT: Final = 0.25
_LETTERS: Final = "ABCD"


class JEEPolicy(StrEnum):
    """How answers are read: capital letters A to D that occur in them, numbers within 0.01."""

    SOURCE = "source_case_sensitive_ad_membership_python_float_abs_001_v1"


@dataclass(frozen=True)
class JEEInputs:
    """A reference and an answer as they came, and the type of the question."""

    expected: object
    candidate: object
    question_type: str


@dataclass(frozen=True)
class PreparedJEE:
    """A reference and an answer as they are compared: sets of letters, or numbers."""

    raw: JEEInputs
    expected: frozenset[str] | float
    candidate: frozenset[str] | float | None
    policy: JEEPolicy


def capture_jee_input(expected: object, candidate: object, question_type: str) -> JEEInputs:
    """A snapshot of one question.

    Raises:
        InvalidTask: The type of the question is unknown.
    """
    if question_type not in (SINGLE, MULTIPLE, *NUMBERS):
        raise InvalidTask(f"unknown question type {question_type!r}")
    return JEEInputs(expected, candidate, question_type)


def prepare_jee_input(raw: JEEInputs, policy: JEEPolicy) -> PreparedJEE:
    """Read a reference and an answer under a policy.

    Raises:
        InvalidTask: The policy is unknown, or the reference has no letters or is no number.
    """
    if policy is not JEEPolicy.SOURCE:
        raise InvalidTask(f"unknown policy {policy!r}")
    if raw.question_type in NUMBERS:
        number = _number(raw.expected)
        if number is None:
            raise InvalidTask("the reference is not a number")
        return PreparedJEE(raw, number, _number(raw.candidate), policy)
    letters = _letters(raw.expected)
    if not letters or (raw.question_type == SINGLE and len(letters) != 1):
        raise InvalidTask("the reference does not name its letters")
    return PreparedJEE(raw, letters, _letters(raw.candidate), policy)


def grade_prepared_jee(prepared: PreparedJEE) -> Reward:
    """Grade an answer that is prepared.

    Raises:
        InvalidTask: As for prepare_jee_input().
    """
    expected, candidate = prepared.expected, prepared.candidate
    if isinstance(expected, float):
        assert not isinstance(candidate, frozenset)
        return grade_numeric_candidate_float(expected, candidate, tolerance_abs=TOLERANCE)
    assert isinstance(candidate, frozenset)
    if prepared.raw.question_type == MULTIPLE:
        return grade_collection_subset(expected, candidate, item_credit=ITEM_CREDIT)
    return scored(float(candidate == expected), extracted=sorted(candidate))


def grade_jee_answer(
    expected: object, candidate: object, question_type: str, *, policy: JEEPolicy = JEEPolicy.SOURCE
) -> Reward:
    """Grade one answer.

    Raises:
        InvalidTask: The type, the policy or the reference is unusable.
    """
    return grade_prepared_jee(
        prepare_jee_input(capture_jee_input(expected, candidate, question_type), policy)
    )


def _letters(value: object) -> frozenset[str]:
    return frozenset(letter for letter in _LETTERS if isinstance(value, str) and letter in value)


def _number(value: object) -> float | None:
    if type(value) is int or type(value) is float:
        value = str(value) if abs(value) < 10**15 else ""
    return plain_number(value) if isinstance(value, str) else None
