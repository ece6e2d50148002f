"""The math and numeric modes.

Math answers are read and compared by math-verify and sympy, in a worker process with a limit on its
CPU time: an answer that exhausts it is wrong, not unscored. Numeric answers need neither.
"""

from __future__ import annotations

import functools
import re
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from verifyit._answer import empty_output_policy, read_answer
from verifyit._bounded import BoundedCallError, call_in_worker
from verifyit._shown import shown
from verifyit.modes._math_text import split_members
from verifyit.modes._numeric_grading import (
    grade_numeric_candidate,
    grade_numeric_candidate_float,
    grade_numeric_text_candidate,
    validate_numeric,
)
from verifyit.modes._regression import grade_regression_candidate
from verifyit.modes.extract import extract_boxed, last_line
from verifyit.numeric import numeric_literal
from verifyit.reward import GradingInfraError, InvalidTask, Reward, scored
from verifyit.spec import MathProfile, MathSpec, MathType, NumericSpec

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "MathMemberPolicy",
    "canonical_math_members",
    "check_math_reference",
    "grade",
    "grade_math_candidate",
    "grade_math_text_candidate",
    "grade_numeric_candidate",
    "grade_numeric_candidate_float",
    "grade_numeric_text_candidate",
    "grade_regression_candidate",
    "math_answer",
    "validate_math",
    "validate_numeric",
]

# Simple answers take milliseconds; what sympy has not settled by then it hardly ever settles.
CPU_LIMIT_S = 5.0
MAX_SHOWN_CHARACTERS = 400
_BACKEND = "verifyit.modes._math_backend"
_BOX = "\\boxed{"
_NOT_A_NUMBER = re.compile(r"(?i)(?<![a-z])(?:nan|inf|infty|infinity|undefined|zoo|oo)(?![a-z])|∞")
_EXTRA = "install the extra, pip install 'deepgym[math]'"


class MathMemberPolicy(StrEnum):
    """Whether a member of a list may hold unknowns; if so, it is compared by its text."""

    FINITE = "finite"
    LITERAL_SYMBOLIC = "literal_symbolic"


def _call(function: str, **arguments: Any) -> Any:
    try:
        return call_in_worker(_BACKEND, function, arguments, cpu_limit_s=CPU_LIMIT_S)
    except GradingInfraError as error:
        if "cannot import" in str(error):
            raise GradingInfraError(f"{error}: {_EXTRA}", extra="math") from error
        raise


def validate_math(spec: MathSpec) -> None:
    """Check the spec's options; the reference itself is read when an answer is graded.

    Raises:
        InvalidTask: An option has the wrong type, or the profile does not grade this type of object.
    """
    empty_output_policy(spec)
    if not isinstance(spec.math_type, MathType):
        raise InvalidTask(f"math_type must be a MathType, not {shown(spec.math_type)}")
    if not isinstance(spec.profile, MathProfile):
        raise InvalidTask(f"profile must be a MathProfile, not {shown(spec.profile)}")
    if not isinstance(spec.allow_additive_constant, bool):
        raise InvalidTask("allow_additive_constant must be true or false")
    if not isinstance(spec.expected, str):
        raise InvalidTask("expected must be a text")


def check_math_reference(spec: MathSpec) -> None:
    """Check that the reference can be read.

    Raises:
        InvalidTask: The options or the reference are unusable.
        GradingInfraError: The reference could not be read in time, or the math extra is missing.
    """
    validate_math(spec)
    if spec.profile is not MathProfile.ANCHORED and spec.math_type is not MathType.SCALAR:
        raise InvalidTask(f"the profile {spec.profile.value} grades scalars only")
    problem = _reference_problem(spec.expected, spec.math_type.value, spec.profile.value)
    if problem is not None:
        raise InvalidTask(problem)


@functools.lru_cache(maxsize=1024)
def _reference_problem(expected: str, math_type: str, profile: str) -> str | None:
    try:
        problem: str | None = _call(
            "check_reference", expected=expected, math_type=math_type, profile=profile
        )
    except BoundedCallError as error:
        if error.reason == "deadline":
            raise GradingInfraError("math verifier deadline exhausted by the reference") from None
        return f"the reference cannot be read: {error}"
    return problem


def math_answer(spec: MathSpec, text: str) -> str:
    """The part of a text that holds the answer: the last box, or else the last line.

    The profile ``raw`` takes the whole text. A last box that does not close holds nothing.
    """
    if spec.profile is MathProfile.RAW:
        return text
    if _BOX in text:
        return extract_boxed(text) or ""
    return last_line(text) or ""


def grade_math_candidate(spec: MathSpec, candidate: str) -> Reward:
    """Whether an answer, already taken out of its text, is mathematically the reference.

    Raises:
        InvalidTask: The spec or its reference is unusable.
        GradingInfraError: Grading could not be carried out; never because of the candidate.
    """
    check_math_reference(spec)
    detail: dict[str, object] = {
        "extracted": candidate.strip()[:MAX_SHOWN_CHARACTERS],
        "expected": spec.expected,
    }
    if not candidate.strip():
        reason = "missing_parse" if spec.profile is MathProfile.BOXED else "unparsable"
        return scored(0.0, **detail, reason=reason)
    try:
        outcome: dict[str, object] = _call(
            "compare",
            expected=spec.expected,
            candidate=candidate,
            math_type=spec.math_type.value,
            profile=spec.profile.value,
            allow_additive_constant=spec.allow_additive_constant,
        )
    except BoundedCallError as error:
        return scored(0.0, **detail, reason=error.reason, error=str(error))
    matched = outcome.pop("matched")
    return scored(float(bool(matched)), **detail, **outcome)


def grade_math_text_candidate(spec: MathSpec, text: str) -> Reward:
    """Whether the answer that a text gives is mathematically the reference.

    Raises:
        InvalidTask: The spec or its reference is unusable.
        GradingInfraError: Grading could not be carried out; never because of the candidate.
    """
    return grade_math_candidate(spec, math_answer(spec, text))


def grade(spec: MathSpec | NumericSpec, tests_dir: Path, workspace: Path) -> Reward:  # noqa: ARG001 - the shape of every grader
    """Grade the answer file of either mode.

    Raises:
        InvalidTask: The spec or its reference is unusable, whether or not there is an answer.
        GradingInfraError: Grading could not be carried out; never because of the candidate.
    """
    if isinstance(spec, NumericSpec):
        validate_numeric(spec)
    else:
        check_math_reference(spec)
    answer = read_answer(spec, workspace)
    if isinstance(answer, Reward):
        return answer
    if isinstance(spec, NumericSpec):
        return grade_numeric_text_candidate(spec, answer)
    return grade_math_text_candidate(spec, answer)


def canonical_math_members(
    text: str, *, policy: MathMemberPolicy = MathMemberPolicy.FINITE
) -> tuple[str, ...]:
    """One token for each member of a list of exact constants, to be compared as multisets.

    Two spellings of one constant have the same token. Plain decimals are taken exactly.

    Raises:
        ValueError: A member is empty, ambiguous, not finite, approximate, or holds unknowns that
            the policy does not allow.
        GradingInfraError: The math extra is missing, or no worker could be started.
    """
    members = split_members(text)
    if not members:
        raise ValueError("there are no members")
    return tuple(_token(member, policy) for member in members)


def _token(member: str, policy: MathMemberPolicy) -> str:
    if not member:
        raise ValueError("a member is empty")
    try:
        value = numeric_literal(member)
    except ValueError:
        return _symbolic_token(member, policy)
    name = (
        f"Integer({value})" if value.denominator == 1 else f"Rational({value.numerator}, {value.denominator})"
    )
    return name.encode().hex()


def _symbolic_token(member: str, policy: MathMemberPolicy) -> str:
    if _NOT_A_NUMBER.search(member):
        raise ValueError(f"not a finite constant: {member[:80]!r}")
    try:
        canonical = _call("canonical_constant", text=member)
        if (
            canonical is None
            and policy is MathMemberPolicy.LITERAL_SYMBOLIC
            and _call("is_symbolic", text=member)
        ):
            canonical = f"text {member}"
    except BoundedCallError as error:
        raise ValueError(f"not an exact constant: {error}") from None
    if canonical is None:
        raise ValueError(f"not an exact constant: {member[:80]!r}")
    return str(canonical).encode("utf-8", "surrogatepass").hex()
