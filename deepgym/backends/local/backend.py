"""The local backend: this machine, no daemon, no root needed."""

from __future__ import annotations

from deepgym._judge.job import Job, Outcome
from deepgym.backends._deadline import in_thread
from deepgym.backends.local.hosts import HostPair, Hosts
from deepgym.backends.local.runs import HostLostError, LocalRun
from deepgym.jobs import MAX_PRINTED_BYTES, MAX_SHOWN_BYTES, RunContext
from deepgym_solution._process import HostError

# A host that dies under a run is replaced and the run tried once more: what killed it was not this answer's doing,
# for nothing of an answer runs in a host.
_ATTEMPTS = 2


class LocalBackend:
    """Runs jobs on a pair of hosts that live as long as the client."""

    name = "local"

    def __init__(self, *, judge_on_host: bool = False) -> None:
        """Start nothing yet.

        Args:
            judge_on_host: Verifiers run as the caller, outside any box.
        """
        self._hosts = Hosts(judge_on_host=judge_on_host)

    @property
    def context(self) -> RunContext:
        """Where runs happen, for their results; without a wall's name when no run can happen here."""
        try:
            way = self._hosts.way
        except HostError as exc:
            return RunContext("local", isolation_detail=str(exc))
        detail = f"{way.detail}; the judge runs on the host" if self._hosts.judge_on_host else way.detail
        return RunContext("local", way.isolation, detail)

    def execute(self, job: Job) -> tuple[Outcome, int]:
        """Run one job.

        Returns:
            How it ended, and how many attempts that took.

        Raises:
            BackendUnavailableError: The client is closed.
        """
        lost: Exception | None = None
        for attempt in range(1, _ATTEMPTS + 1):
            pair = None
            try:
                pair = self._hosts.pair()
                with _start(pair, job) as run:
                    return run.wait(), attempt
            except (HostError, OSError) as exc:
                lost = exc
                if pair is not None and isinstance(exc, HostError):
                    self._hosts.discard(pair)
        return Outcome("lost", detail=str(lost)), _ATTEMPTS

    async def execute_async(self, job: Job) -> tuple[Outcome, int]:
        """Run one job without blocking the event loop; cancelling ends it.

        Returns:
            How it ended, and how many attempts that took.

        Raises:
            BackendUnavailableError: The client is closed.
        """
        lost: Exception | None = None
        for attempt in range(1, _ATTEMPTS + 1):
            pair = self._hosts.running_pair()
            try:
                if pair is None:
                    pair = await in_thread(self._hosts.pair)
                with _start(pair, job) as run:
                    return await run.wait_async(), attempt
            except (HostError, OSError) as exc:
                lost = exc
                if pair is not None and isinstance(exc, HostError):
                    await in_thread(self._hosts.discard, pair)
        return Outcome("lost", detail=str(lost)), _ATTEMPTS

    def close(self) -> None:
        """End the hosts and every run on them."""
        self._hosts.close()


def _start(pair: HostPair, job: Job) -> LocalRun:
    limit = MAX_PRINTED_BYTES if job.shape == "script" else MAX_SHOWN_BYTES
    return LocalRun(pair, job, output_bytes=limit)


__all__ = ["HostLostError", "LocalBackend"]
