"""What preparation raises, by who is at fault.

PreparationError (RuntimeError)      a step failed; ``failure`` says how, ``verdict`` what it comes to
InvalidPreparation               the task is at fault; also an InvalidTask
"""

from __future__ import annotations

from dataclasses import dataclass

from verifyit._aggregation import PreparationCategory, finalize_preparation_failure
from verifyit.reward import InvalidTask, Reward, Status


@dataclass(frozen=True)
class PreparationFailure:
    """How a step failed: the status it amounts to, whose doing it was, and where."""

    status: Status
    category: PreparationCategory
    error_type: str
    message: str
    stage: str


class PreparationError(RuntimeError):
    """A step of preparation failed."""

    def __init__(self, failure: PreparationFailure) -> None:
        super().__init__(f"{failure.stage}: {failure.message}")
        self.failure = failure

    @property
    def verdict(self) -> Reward:
        """The verdict that the failure comes to."""
        return finalize_preparation_failure(
            status=self.failure.status,
            category=self.failure.category,
            error_type=self.failure.error_type,
            message=self.failure.message,
            stage=self.failure.stage,
        )


class InvalidPreparation(PreparationError, InvalidTask):  # noqa: N818 - the published name
    """The task cannot be prepared, whatever the candidate."""


def task_failure(stage: str, error_type: str, message: str) -> InvalidPreparation:
    """The error for an unusable task."""
    category = PreparationCategory.UNKNOWN
    return InvalidPreparation(PreparationFailure(Status.INVALID_TASK, category, error_type, message, stage))


def candidate_failure(stage: str, error_type: str, message: str) -> PreparationError:
    """The error for a candidate that cannot be prepared; its verdict is a scored 0."""
    category = PreparationCategory.AGENT
    return PreparationError(PreparationFailure(Status.SCORED, category, error_type, message, stage))


def machine_failure(stage: str, error_type: str, message: str) -> PreparationError:
    """The error for a step that could not be carried out; its verdict is an infra_error."""
    category = PreparationCategory.UNKNOWN
    return PreparationError(PreparationFailure(Status.INFRA_ERROR, category, error_type, message, stage))
