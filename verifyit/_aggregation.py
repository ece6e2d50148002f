"""Combining verdicts into one. Anything unscored discards all partial credit."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING

from verifyit._shown import shown
from verifyit.reward import Reward, Status, infra_error, invalid_task, scored, validated

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_ROUND_DIGITS = 6


class Aggregation(StrEnum):
    """How the rewards of several components become one."""

    ALL = "all"
    MEAN = "mean"
    MAX = "max"
    MIN = "min"
    PRODUCT = "product"


class PreparationCategory(StrEnum):
    """Whose doing the failure of a preparation step was."""

    AGENT = "agent"
    UNKNOWN = "unknown"


def aggregate_rewards(
    verdicts: Sequence[Reward],
    *,
    expected_total: int,
    policy: Aggregation,
    round_digits: int | None = None,
) -> Reward:
    """One verdict for several components, of which some may be missing.

    Args:
        verdicts: The components there are.
        expected_total: How many there should be; a missing one earns nothing.
        policy: How to combine them.
        round_digits: Round the result to this many digits, half to even.
    """
    problem = _setup_problem(verdicts, expected_total, policy, round_digits)
    if problem is not None:
        return invalid_task(problem)
    checked = [validated(verdict) for verdict in verdicts]
    unscored = _first_unscored(checked, expected_total)
    if unscored is not None:
        return unscored
    rewards = [verdict.reward for verdict in checked]
    combined = _combine(rewards, expected_total, policy)
    return scored(
        combined if round_digits is None else round_half_even(combined, round_digits),
        passed=sum(1 for reward in rewards if reward == 1),
        total=expected_total,
        missing=expected_total - len(rewards),
    )


def _setup_problem(
    verdicts: Sequence[Reward], expected_total: object, policy: object, round_digits: object
) -> str | None:
    if isinstance(expected_total, bool) or not isinstance(expected_total, int) or expected_total <= 0:
        return f"expected_total must be a positive integer, not {shown(expected_total)}"
    if not isinstance(policy, Aggregation):
        return f"policy must be an Aggregation, not {shown(policy)}"
    if not are_round_digits(round_digits):
        return (
            f"round_digits must be None or an integer from 0 to {MAX_ROUND_DIGITS}, not {shown(round_digits)}"
        )
    if len(verdicts) > expected_total:
        return f"{len(verdicts)} components were given where {expected_total} are expected"
    return None


def are_round_digits(value: object) -> bool:
    """Whether a value says how to round: None, or a whole number of digits."""
    if value is None:
        return True
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_ROUND_DIGITS


def round_half_even(value: float, digits: int) -> float:
    """The value scaled, rounded half to even, and scaled back."""
    scale: int = 10**digits
    return round(value * scale) / scale


def _first_unscored(verdicts: Sequence[Reward], total: int) -> Reward | None:
    for status in (Status.INFRA_ERROR, Status.INVALID_TASK):
        for index, verdict in enumerate(verdicts):
            if verdict.status is status:
                return Reward(0.0, status, {"component": index, "cause": verdict.detail, "total": total})
    return None


def _combine(rewards: Sequence[float], expected_total: int, policy: Aggregation) -> float:
    if policy is Aggregation.MEAN:
        return math.fsum(rewards) / expected_total
    if policy is Aggregation.MAX:
        return max(rewards, default=0.0)
    if len(rewards) < expected_total:
        return 0.0
    if policy is Aggregation.ALL:
        return float(all(reward == 1 for reward in rewards))
    return min(rewards) if policy is Aggregation.MIN else math.prod(rewards)


def aggregate_first_fit(verdicts: Sequence[Sequence[Reward]], *, expected_total: int) -> Reward:
    """Whether every row finds a passing column of its own, each taking the first one still free.

    Args:
        verdicts: A rectangular matrix of grades that are 0 or 1.
        expected_total: How many rows and columns there should be.
    """
    if isinstance(expected_total, bool) or not isinstance(expected_total, int) or expected_total <= 0:
        return invalid_task(f"expected_total must be a positive integer, not {shown(expected_total)}")
    if len({len(row) for row in verdicts}) > 1:
        return infra_error("the rows of the assignment differ in length")
    edges = [[validated(verdict) for verdict in row] for row in verdicts]
    unscored = _first_unscored([edge for row in edges for edge in row], expected_total)
    if unscored is not None:
        return unscored
    if any(edge.reward not in (0, 1) for row in edges for edge in row):
        return infra_error("an edge of the assignment is neither 0 nor 1")
    if len(edges) != expected_total or len(edges[0]) != expected_total:
        return scored(0.0, reason="assignment_cardinality", total=expected_total)
    taken: set[int] = set()
    for row in edges:
        free = (column for column, edge in enumerate(row) if edge.reward == 1 and column not in taken)
        column = next(free, None)
        if column is None:
            return scored(0.0, matched=len(taken), total=expected_total)
        taken.add(column)
    return scored(1.0, matched=len(taken), total=expected_total)


def finalize_preparation_failure(
    *, status: Status, category: PreparationCategory, error_type: str, message: str, stage: str
) -> Reward:
    """The verdict when what comes before grading failed.

    An unusable task stays one; the candidate's own failure is a scored 0; everything else is an
    ``infra_error``.
    """
    final = Status.INFRA_ERROR
    if status is Status.INVALID_TASK or (status is Status.SCORED and category is PreparationCategory.AGENT):
        final = status
    return Reward(
        0.0,
        final,
        {
            "error": message,
            "error_type": error_type,
            "category": str(category),
            "stage": stage,
            "source_status": str(status),
            "finalization_policy": "failed_preparation_v1",
        },
    )
