"""The predicted_action mode: tool calls that are the expected ones, in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifyit._answer import empty_output_policy, read_answer
from verifyit._finite import is_finite_number
from verifyit._shown import shown
from verifyit.json_comparison import NumericTypePolicy, json_values_equal
from verifyit.json_objects import decode_unique, json_problem
from verifyit.reward import InvalidTask, Reward, scored
from verifyit.spec import FunctionCall, PredictedActionSpec

if TYPE_CHECKING:
    from pathlib import Path


def validate_predicted_action(spec: PredictedActionSpec) -> None:
    """Check that the spec can be graded by.

    Raises:
        InvalidTask: There is no expected call, one is malformed, or the tolerance is unusable.
    """
    empty_output_policy(spec)
    problem = _calls_problem(spec.expected_calls)
    if problem is not None:
        raise InvalidTask(f"expected_calls: {problem}")
    tolerance: object = spec.numeric_tolerance
    if tolerance is None:
        return
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float):
        raise InvalidTask(f"numeric_tolerance must be a number, not {shown(tolerance)}")
    if tolerance < 0 or not is_finite_number(tolerance):
        raise InvalidTask(f"numeric_tolerance must be finite and at least 0, not {shown(tolerance)}")


def _calls_problem(calls: object) -> str | None:
    if not isinstance(calls, list | tuple) or not calls:
        return "there must be at least one call"
    for call in calls:
        if not isinstance(call, FunctionCall):
            return "a call is not a FunctionCall"
        if not isinstance(call.name, str) or not call.name:
            return "the name of a call must be a text that is not empty"
        arguments: object = call.arguments
        if not isinstance(arguments, dict):
            return f"the arguments of {call.name} must be an object"
        problem = json_problem(arguments)
        if problem is not None:
            return f"the arguments of {call.name} are not JSON: {problem}"
    return None


def grade_predicted_action_candidate(spec: PredictedActionSpec, actual: tuple[FunctionCall, ...]) -> Reward:
    """Whether the calls can be paired off with the expected ones, each with an equal of its own.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_predicted_action(spec)
    if len(actual) != len(spec.expected_calls):
        return scored(0.0)
    edges = [
        [column for column, call in enumerate(actual) if _equal(spec, expected, call)]
        for expected in spec.expected_calls
    ]
    return scored(float(_has_perfect_matching(edges)))


def _equal(spec: PredictedActionSpec, expected: FunctionCall, call: FunctionCall) -> bool:
    # The type of a candidate's name decides first: a foreign type could bring its own equality.
    if type(call.name) is not str or call.name != expected.name:
        return False
    return json_values_equal(
        expected.arguments,
        call.arguments,
        spec.numeric_tolerance,
        numeric_types=NumericTypePolicy.STRICT,
    )


def _has_perfect_matching(edges: list[list[int]]) -> bool:
    """Whether every row can take a column of its own (augmenting paths).

    A tolerance makes equality intransitive, so taking the first free column is not enough.
    """
    row_of: dict[int, int] = {}
    return all(_augment(row, edges, row_of) for row in range(len(edges)))


def _augment(start: int, edges: list[list[int]], row_of: dict[int, int]) -> bool:
    # A search by loop: a path may be as long as there are calls, and recursion has a limit.
    came_from: dict[int, int] = {}
    rows = [start]
    for row in rows:
        for column in edges[row]:
            if column in came_from:
                continue
            came_from[column] = row
            if column not in row_of:
                _shift(column, start, came_from, row_of)
                return True
            rows.append(row_of[column])
    return False


def _shift(column: int, start: int, came_from: dict[int, int], row_of: dict[int, int]) -> None:
    column_of = {row: taken for taken, row in row_of.items()}
    while True:
        row = came_from[column]
        previous = column_of.get(row)
        row_of[column] = row
        if row == start or previous is None:
            return
        column = previous


def parse_calls(text: str) -> tuple[FunctionCall, ...]:
    """The calls of a JSON list of objects of exactly a name and arguments.

    Raises:
        ValueError: The text is not that, or a call in it is malformed.
    """
    decoded = decode_unique(text)
    if not isinstance(decoded, list):
        raise ValueError("not a list of calls")  # noqa: TRY004 - the text is malformed, not the argument
    for item in decoded:
        if not isinstance(item, dict) or item.keys() != {"name", "arguments"}:
            raise ValueError("a call must have exactly a name and arguments")
    calls = tuple(FunctionCall(item["name"], item["arguments"]) for item in decoded)
    problem = _calls_problem(calls)
    if problem is not None:
        raise ValueError(problem)
    return calls


def grade_predicted_action_text(spec: PredictedActionSpec, text: str) -> Reward:
    """Grade calls that are written as JSON.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_predicted_action(spec)
    try:
        calls = parse_calls(text)
    except ValueError as error:
        return scored(0.0, reason="invalid_function_calls", error=str(error))
    return grade_predicted_action_candidate(spec, calls)


def grade(spec: PredictedActionSpec, _tests_dir: Path, workspace: Path) -> Reward:
    """Grade the calls that the answer file holds as JSON.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_predicted_action(spec)
    answer = read_answer(spec, workspace)
    return answer if isinstance(answer, Reward) else grade_predicted_action_text(spec, answer)
