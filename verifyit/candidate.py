"""Grading in process: a spec and a candidate's value in, a verdict out, no files.

The order of the checks is part of the contract: the mode, the spec, the candidate's type, the
resources, a blank answer, the size, and only then the comparison.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from verifyit._answer import empty_output_policy, size_verdict
from verifyit.grade import mode_module
from verifyit.reward import GradingInfraError, InvalidTask, Reward, infra_error, invalid_task, scored
from verifyit.spec import (
    MODE_DESCRIPTORS,
    CandidateEntrypoints,
    EmptyOutputPolicy,
    FunctionCall,
    JsonSchemaSpec,
    Mode,
    Spec,
    mode_of,
    spec_from_table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifyit.json_comparison import JsonValue

__all__ = [
    "IN_PROCESS_MODES",
    "Candidate",
    "candidate_spec",
    "check_task",
    "grade_candidate",
    "grade_ejection_candidate",
    "supports_in_process",
]

Candidate: TypeAlias = "JsonValue | tuple[FunctionCall, ...]"

IN_PROCESS_MODES: frozenset[Mode] = frozenset(
    mode for mode, entry in MODE_DESCRIPTORS.items() if entry.candidate is not None
)


def supports_in_process(mode: str) -> bool:
    """Whether a mode of that name can be graded in process."""
    return mode in IN_PROCESS_MODES


def candidate_spec(mode: str, parameters: dict[str, Any]) -> Spec:
    """A checked spec of an in-process mode.

    Raises:
        ValueError: The mode has no in-process grader, or the parameters do not declare its spec.
        InvalidTask: The mode refuses the spec.
    """
    if not supports_in_process(mode):
        raise ValueError(f"{mode!r} has no in-process grader")
    if "mode" in parameters:
        raise ValueError("mode is given apart from the parameters")
    spec = spec_from_table({"mode": mode, **parameters})
    _entry(spec, "validate")(spec)
    return spec


def grade_candidate(spec: Spec, candidate: Candidate, resources: Mapping[str, bytes]) -> Reward:
    """Grade a candidate's value.

    Args:
        spec: What to grade by.
        candidate: Any decoded JSON value for structured_exact, a tuple of FunctionCall for
            predicted_action, and a text for every other mode.
        resources: The content of the task's files that the spec names, by their path in it.

    Raises:
        ValueError: The mode has no in-process grader.
        TypeError: The candidate is not of the type that the mode grades.
    """
    mode = mode_of(spec)
    try:
        _entry(spec, "validate")(spec)
        _check_type(mode, candidate)
        arguments = _resources(spec, resources)
        if isinstance(candidate, str) and mode is not Mode.STRUCTURED_EXACT:
            early = _blank_verdict(spec, candidate, arguments) or size_verdict(candidate)
            if early is not None:
                return early
        verdict: Reward = _entry(spec, "grade")(spec, candidate, *arguments)
    except InvalidTask as error:
        return invalid_task(str(error))
    except GradingInfraError as error:
        return infra_error(str(error), **error.detail)
    return verdict


def _entrypoints(spec: Spec) -> CandidateEntrypoints:
    mode = mode_of(spec)
    entrypoints = MODE_DESCRIPTORS[mode].candidate
    if entrypoints is None:
        raise ValueError(f"{mode.value!r} has no in-process grader")
    return entrypoints


def _entry(spec: Spec, role: str) -> Any:
    entrypoints = _entrypoints(spec)
    return getattr(mode_module(mode_of(spec)), getattr(entrypoints, role))


def _check_type(mode: Mode, candidate: object) -> None:
    if mode is Mode.STRUCTURED_EXACT:
        return
    if mode is Mode.PREDICTED_ACTION:
        is_calls = isinstance(candidate, tuple) and all(isinstance(call, FunctionCall) for call in candidate)
        if not is_calls:
            raise TypeError("a predicted_action candidate is a tuple of FunctionCall")
    elif not isinstance(candidate, str):
        raise TypeError(f"a {mode.value} candidate is a str, not {type(candidate).__name__}")


def _resources(spec: Spec, resources: Mapping[str, bytes]) -> tuple[bytes, ...]:
    if not isinstance(spec, JsonSchemaSpec):
        return ()
    if spec.schema not in resources:
        raise InvalidTask(f"the schema {spec.schema!r} is not among the resources")
    return (resources[spec.schema],)


def _blank_verdict(spec: Spec, candidate: str, arguments: tuple[bytes, ...]) -> Reward | None:
    if candidate.strip() or empty_output_policy(spec) is not EmptyOutputPolicy.ZERO:
        return None
    # A task with an unusable reference is unusable whatever the candidate is, blank or not.
    _check_reference(spec, arguments)
    return scored(0.0, reason="empty_output")


def _check_reference(spec: Spec, arguments: tuple[bytes, ...]) -> None:
    if _entrypoints(spec).check_reference is not None:
        _entry(spec, "check_reference")(spec, *arguments)


def check_task(spec: Spec, resources: Mapping[str, bytes]) -> None:
    """Check everything about a task that does not depend on a candidate.

    Raises:
        ValueError: The mode has no in-process grader.
        InvalidTask: The spec, its reference or a resource is unusable.
        GradingInfraError: The reference could not be checked.
    """
    _entry(spec, "validate")(spec)
    _check_reference(spec, _resources(spec, resources))


def grade_ejection_candidate(spec: Spec) -> Reward:
    """Grade the claim that a task cannot be solved: right for ``unsolvable``, wrong for the rest."""
    mode = mode_of(spec)
    if mode in IN_PROCESS_MODES:
        try:
            _entry(spec, "validate")(spec)
        except InvalidTask as error:
            return invalid_task(str(error))
    return scored(float(mode is Mode.UNSOLVABLE))
