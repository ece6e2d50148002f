"""The structured_exact mode: a JSON value that equals the expected one."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from verifyit._answer import empty_output_policy, read_answer
from verifyit._shown import shown
from verifyit.json_comparison import JsonValue, NumericTypePolicy, json_values_equal
from verifyit.json_objects import decode_unique, json_problem
from verifyit.reward import InvalidTask, Reward, scored

if TYPE_CHECKING:
    from pathlib import Path

    from verifyit.spec import StructuredExactSpec


def validate_structured_exact(spec: StructuredExactSpec) -> None:
    """Check that the spec can be graded by.

    Raises:
        InvalidTask: The expected value is not finite JSON, or an option has the wrong type.
    """
    empty_output_policy(spec)
    if not isinstance(spec.numeric_types, NumericTypePolicy):
        raise InvalidTask(f"numeric_types must be a NumericTypePolicy, not {shown(spec.numeric_types)}")
    problem = json_problem(spec.expected)
    if problem is not None:
        raise InvalidTask(f"expected is not JSON: {problem}")


def grade_structured_exact_candidate(spec: StructuredExactSpec, candidate: JsonValue) -> Reward:
    """Whether a decoded value equals the expected one.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_structured_exact(spec)
    equal = json_values_equal(spec.expected, candidate, numeric_types=spec.numeric_types)
    return scored(float(equal))


def grade(spec: StructuredExactSpec, _tests_dir: Path, workspace: Path) -> Reward:
    """Whether the answer file holds the expected value as JSON without duplicate keys.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_structured_exact(spec)
    answer = read_answer(spec, workspace)
    if isinstance(answer, Reward):
        return answer
    try:
        candidate = decode_unique(answer)
    except ValueError as error:
        return scored(0.0, reason="invalid_json", error=str(error))
    return grade_structured_exact_candidate(spec, cast("JsonValue", candidate))
