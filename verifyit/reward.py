"""What a grader says: the verdict, its three statuses, and the rule for when a verdict counts.

    scored         a grade exists: a finite number from 0 to 1
    invalid_task   the task itself cannot be graded against: its reference, spec, schema or resource
    infra_error    grading could not be carried out

Only ``scored`` carries a reward. Nothing a candidate does may lead to the other two.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from enum import StrEnum

NOT_A_REWARD = "the grader returned something that is not a Reward"
NOT_A_STATUS = "the verdict's status is not a Status"
NOT_A_NUMBER = "the verdict's reward is not a number"
OUT_OF_RANGE = "the verdict's reward is not a finite number from 0 to 1"
CREDIT_WITHOUT_SCORE = "an unscored verdict carries a reward other than 0"
DETAIL_NOT_A_DICT = "the verdict's detail is not a dict"
DETAIL_NOT_JSON = "the verdict's detail cannot be written as JSON"


class Status(StrEnum):
    """How a grading ended."""

    SCORED = "scored"
    INVALID_TASK = "invalid_task"
    INFRA_ERROR = "infra_error"


class InvalidTask(Exception):  # noqa: N818 - the name is part of the published contract
    """The task is unusable, whatever the candidate; becomes an ``invalid_task`` verdict."""


class GradingInfraError(RuntimeError):
    """Grading could not be carried out; becomes an ``infra_error`` verdict that keeps ``detail``."""

    def __init__(self, message: str, **detail: object) -> None:
        super().__init__(message)
        self.detail = detail


@dataclass(frozen=True)
class Reward:
    """One verdict: a number, how it came about, and what there is to know about it."""

    reward: float
    status: Status
    detail: dict[str, object] = field(default_factory=dict)


def verdict_problem(verdict: object) -> str | None:
    """What is wrong with a verdict, or None if it is acceptable."""
    if not isinstance(verdict, Reward):
        return NOT_A_REWARD
    status: object = verdict.status
    if not isinstance(status, Status):
        return NOT_A_STATUS
    value: object = verdict.reward
    if isinstance(value, bool) or not isinstance(value, int | float):
        return NOT_A_NUMBER
    # The comparison comes first: an int too large for a float would make isfinite() raise.
    if not 0 <= value <= 1 or not math.isfinite(value):
        return OUT_OF_RANGE
    if status is not Status.SCORED and value != 0:
        return CREDIT_WITHOUT_SCORE
    return _detail_problem(verdict.detail)


def _detail_problem(detail: object) -> str | None:
    if not isinstance(detail, dict):
        return DETAIL_NOT_A_DICT
    try:
        json.dumps(detail, allow_nan=False)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return DETAIL_NOT_JSON
    return None


def validated(verdict: object) -> Reward:
    """The verdict itself if it is acceptable, else an ``infra_error`` that says what is wrong with it."""
    problem = verdict_problem(verdict)
    if problem is not None:
        return infra_error(problem)
    assert isinstance(verdict, Reward)
    return verdict


def scored(reward: float, **detail: object) -> Reward:
    """A grade.

    Raises:
        RuntimeError: The value is not a number from 0 to 1, or the detail cannot be written as JSON.
    """
    problem = verdict_problem(Reward(reward, Status.SCORED, detail))
    if problem is not None:
        raise RuntimeError(problem)
    return Reward(float(reward), Status.SCORED, detail)


def invalid_task(message: str) -> Reward:
    """The verdict for a task that cannot be graded against."""
    return Reward(0.0, Status.INVALID_TASK, {"error": message})


def infra_error(message: str, **detail: object) -> Reward:
    """The verdict for a grading that could not be carried out."""
    return Reward(0.0, Status.INFRA_ERROR, {"error": message, **detail})
