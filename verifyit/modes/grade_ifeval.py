"""The ifeval mode: a text that follows every instruction of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verifyit._aggregation import Aggregation, aggregate_rewards
from verifyit._answer import empty_output_policy, read_answer
from verifyit._shown import shown
from verifyit.modes.grade_json_schema import grade_json_schema_candidate
from verifyit.modes.ifeval import CONSTRAINTS, Check
from verifyit.reward import InvalidTask, Reward, invalid_task, scored
from verifyit.spec import Constraint, IfevalSpec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MAX_SHOWN_CHARACTERS = 400


def resolve_checks(
    constraints: tuple[Constraint, ...], registry: Mapping[str, Check] | None = None
) -> list[tuple[Constraint, Check]]:
    """Each constraint with the check that its name stands for.

    Args:
        constraints: The constraints of a spec.
        registry: Further checks by name.

    Raises:
        InvalidTask: There are no constraints, a name is unknown, or the registry holds something
            that is not callable or has the name of a built-in check.
    """
    extra = dict(registry or {})
    for name, check in extra.items():
        if name in CONSTRAINTS:
            raise InvalidTask(f"the constraint {name!r} is built in and cannot be replaced")
        if not callable(check):
            raise InvalidTask(f"the check of {name!r} is not callable")
    if not isinstance(constraints, list | tuple) or not constraints:
        raise InvalidTask("there must be at least one constraint")
    checks = {**CONSTRAINTS, **extra}
    resolved = []
    for constraint in constraints:
        if not isinstance(constraint, Constraint) or not isinstance(constraint.params, dict):
            raise InvalidTask("a constraint must be a Constraint with a table of params")
        if not isinstance(constraint.name, str) or constraint.name not in checks:
            raise InvalidTask(f"unknown constraint {shown(constraint.name)}")
        resolved.append((constraint, checks[constraint.name]))
    return resolved


def validate_ifeval(spec: IfevalSpec) -> None:
    """Check that the spec can be graded by with the built-in checks.

    Raises:
        InvalidTask: There are no constraints, or a name is unknown.
    """
    empty_output_policy(spec)
    resolve_checks(spec.constraints)


def grade_ifeval_candidate(
    spec: IfevalSpec, candidate: str, *, registry: Mapping[str, Check] | None = None
) -> Reward:
    """Whether a text passes every check.

    A check fails, too, when its parameters are missing or wrong, and when it raises.

    Raises:
        InvalidTask: The spec or the registry is unusable.
        RuntimeError: A check of the registry returned something other than a bool and a text.
    """
    empty_output_policy(spec)
    findings = []
    for constraint, check in resolve_checks(spec.constraints, registry):
        passed, detail = _finding(constraint, check, candidate)
        findings.append({"name": constraint.name, "passed": passed, "detail": detail})
    failed = [finding["name"] for finding in findings if not finding["passed"]]
    return scored(float(not failed), constraints=findings, failed=failed)


def _finding(constraint: Constraint, check: Check, candidate: str) -> tuple[bool, str]:
    try:
        outcome: object = check(candidate, constraint.params)
    except Exception as error:  # noqa: BLE001 - the contract: whatever a check raises, it has failed
        return False, f"{type(error).__name__}: {error}"[:MAX_SHOWN_CHARACTERS]
    if not isinstance(outcome, tuple) or len(outcome) != 2:
        raise RuntimeError(f"the check of {shown(constraint.name)} returned {type(outcome).__name__}")
    passed, detail = outcome
    if not isinstance(passed, bool) or not isinstance(detail, str):
        raise RuntimeError(  # noqa: TRY004 - the contract names the error
            f"the check of {shown(constraint.name)} must return a bool and a text"
        )
    return passed, detail[:MAX_SHOWN_CHARACTERS]


def grade_instruction_observations(
    observations: Sequence[tuple[dict[str, Any] | IfevalSpec, Any]],
) -> Reward:
    """Whether every observation holds: a JSON Schema of its instance, an IfevalSpec of its text.

    Raises:
        InvalidTask: A schema or spec is unusable.
        GradingInfraError: The schema extra is needed and missing.
    """
    if not observations:
        return invalid_task("there must be at least one observation")
    verdicts = [_observe(condition, observed) for condition, observed in observations]
    return aggregate_rewards(verdicts, expected_total=len(verdicts), policy=Aggregation.ALL)


def _observe(condition: dict[str, Any] | IfevalSpec, observed: Any) -> Reward:
    if isinstance(condition, IfevalSpec):
        return grade_ifeval_candidate(condition, observed)
    return grade_json_schema_candidate(condition, observed)


def grade(spec: IfevalSpec, tests_dir: Path, workspace: Path) -> Reward:  # noqa: ARG001 - the shape of every grader
    """Grade the text in the answer file.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_ifeval(spec)
    answer = read_answer(spec, workspace)
    return answer if isinstance(answer, Reward) else grade_ifeval_candidate(spec, answer)
