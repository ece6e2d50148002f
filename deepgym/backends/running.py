"""What a client needs of a backend that it has opened."""

from __future__ import annotations

from typing import Protocol

from deepgym._judge.job import Job, Outcome
from deepgym.jobs import RunContext

__all__ = ["RunningBackend"]


class RunningBackend(Protocol):
    """What a client needs of a backend."""

    @property
    def context(self) -> RunContext:
        """Where runs happen, for their results."""

    def execute(self, job: Job) -> tuple[Outcome, int]:
        """Run one job: how it ended, and how many attempts that took."""

    async def execute_async(self, job: Job) -> tuple[Outcome, int]:
        """The same on the running event loop; cancelling ends the run."""

    def close(self) -> None:
        """End everything."""
