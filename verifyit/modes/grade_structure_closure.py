"""Mode ``structure_closure``: a structure that was begun, continued to the whole it has to become."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from verifyit._answer import read_answer
from verifyit.closure_scoring import ClosureFormat, closure_state, score_closure, score_closure_region
from verifyit.reward import InvalidTask, Reward, scored
from verifyit.spec import EmptyOutputPolicy, StructureClosureSpec
from verifyit.structure_closure import PrefixStatus

if TYPE_CHECKING:
    from pathlib import Path


def validate_structure_closure(spec: StructureClosureSpec) -> None:
    """Refuse a spec whose prefix cannot become its reference.

    Raises:
        InvalidTask: The format or the policy is unknown, the reference does not continue the prefix,
            the prefix is already finished or broken, or the reference is not one finished structure.
    """
    if not isinstance(spec.format, ClosureFormat):
        raise InvalidTask(f"format must be a ClosureFormat, not {spec.format!r}")
    if not isinstance(spec.empty_output, EmptyOutputPolicy):
        raise InvalidTask(f"empty_output must be an EmptyOutputPolicy, not {spec.empty_output!r}")
    if not isinstance(spec.prefix, str) or not isinstance(spec.expected, str):
        raise InvalidTask("prefix and expected must be strings")
    if not spec.expected.startswith(spec.prefix):
        raise InvalidTask("expected must start with prefix")
    status = closure_state(spec.prefix, spec.format).status
    if status is not PrefixStatus.EXTENDABLE:
        raise InvalidTask(f"prefix is {status.value}: nothing is left to close")
    try:
        score_closure(spec.expected, spec.expected, spec.format)
    except ValueError as error:
        raise InvalidTask(f"expected is {error}") from None


def grade_structure_closure_candidate(spec: StructureClosureSpec, candidate: str) -> Reward:
    """Score the text that a candidate wrote after the prefix; what follows the structure does not count.

    Raises:
        InvalidTask: As for validate_structure_closure().
    """
    validate_structure_closure(spec)
    score = score_closure_region(spec.prefix + candidate, spec.expected, spec.format)
    return scored(float(score.success), **asdict(score))


def grade(spec: StructureClosureSpec, _tests_dir: Path, workspace: Path) -> Reward:
    """Grade an answer file.

    Raises:
        InvalidTask: As for validate_structure_closure().
    """
    validate_structure_closure(spec)
    answer = read_answer(spec, workspace)
    return answer if isinstance(answer, Reward) else grade_structure_closure_candidate(spec, answer)
