"""One answer to one environment, from job to result: through the gate, the backend and the cache."""

from __future__ import annotations

import secrets
from typing import Protocol

from deepgym._gate import Gate
from deepgym._judge.job import Job, Outcome
from deepgym.backends._deadline import in_thread
from deepgym.backends.auto import AutoBackend
from deepgym.cache import VerdictCache, cache_key
from deepgym.jobs import JobMaker, Prepared, RunContext, make_result
from deepgym.ladder import weaker_than
from deepgym.models import Environment, RunResult

__all__ = ["RunBackend", "Runner", "new_case_seed"]


class RunBackend(Protocol):
    """What a place to run offers to the client."""

    @property
    def context(self) -> RunContext:
        """Where runs happen; asking may start what they need."""
        ...

    def execute(self, job: Job) -> tuple[Outcome, int]:
        """Run one job: how it ended, and how many attempts that took."""
        ...

    async def execute_async(self, job: Job) -> tuple[Outcome, int]:
        """The same on the running event loop; cancelling ends the run."""
        ...

    def close(self) -> None:
        """End everything."""
        ...


class Runner:
    """Runs prepared environments' answers on one backend, for one client."""

    def __init__(self, backend: RunBackend, *, mode: str, cache: VerdictCache | None) -> None:
        self.backend = backend
        self.cache = cache
        self._mode = mode
        self._jobs = JobMaker()
        self._gate = Gate()

    def prepare(self, env: Environment) -> Prepared:
        """See `JobMaker.prepare`."""
        return self._jobs.prepare(env)

    def run(self, prepared: Prepared, model_output: str, *, case_seed: int) -> RunResult:
        """Run one answer and wait for it.

        Raises:
            TypeError: model_output is no str.
            BackendUnavailableError: The client is closed.
        """
        job = prepared.job(model_output, case_seed=case_seed)
        key, kept = self._look_up(prepared, job)
        if kept is not None:
            return kept
        if prepared.env.min_isolation is not None:
            refused = self._refusal(prepared.env, job)
            if refused is not None:
                return refused
        with self._gate.entered():
            outcome, attempts = self.backend.execute(job)
        if outcome.doubtful:
            with self._gate.entered(alone=True):
                outcome, again = self.backend.execute(job)
            attempts += again
        return self._result(prepared, job, outcome, attempts, key)

    async def arun(self, prepared: Prepared, model_output: str, *, case_seed: int) -> RunResult:
        """Run one answer on the running event loop; cancelling ends the run and leaves nothing.

        Raises:
            TypeError: model_output is no str.
            BackendUnavailableError: The client is closed.
        """
        job = prepared.job(model_output, case_seed=case_seed)
        key, kept = self._look_up(prepared, job)
        if kept is not None:
            return kept
        if prepared.env.min_isolation is not None:
            refused = await in_thread(self._refusal, prepared.env, job)
            if refused is not None:
                return refused
        async with self._gate.entered_async():
            outcome, attempts = await self.backend.execute_async(job)
        if outcome.doubtful:
            async with self._gate.entered_async(alone=True):
                outcome, again = await self.backend.execute_async(job)
            attempts += again
        return self._result(prepared, job, outcome, attempts, key)

    def _result(
        self, prepared: Prepared, job: Job, outcome: Outcome, attempts: int, key: bytes | None
    ) -> RunResult:
        result = make_result(prepared.env, job, outcome, self._context(job), attempts=attempts)
        # Without a wall an answer may have written its own verdict, and a doubtful one is not the last word.
        keep = result.has_verdict and result.isolation != "process" and not outcome.doubtful
        if key is not None and self.cache is not None and keep:
            self.cache.put(key, result)
        return result

    def _context(self, job: Job) -> RunContext:
        """Where a job's run happens; only one backend chooses anew for each."""
        return (
            self.backend.context_for(job) if isinstance(self.backend, AutoBackend) else self.backend.context
        )

    def _look_up(self, prepared: Prepared, job: Job) -> tuple[bytes | None, RunResult | None]:
        """The key under which the job's verdict is to be kept, and the verdict that is."""
        if self.cache is None:
            return None, None
        key = cache_key(prepared, job, mode=self._mode)
        return key, None if key is None else self.cache.get(key)

    def _refusal(self, env: Environment, job: Job) -> RunResult | None:
        """The result of a run that the environment does not want under this wall."""
        context = self._context(job)
        demanded = env.min_isolation
        if demanded is None or context.isolation is None or not weaker_than(context.isolation, demanded):
            return None
        return RunResult(
            score=0.0,
            passed=False,
            has_verdict=False,
            error_type="sandbox_error",
            details=(
                f"the environment demands isolation {demanded!r} and this is {context.isolation!r} "
                f"({context.isolation_detail}): `deepgym doctor` says what would raise it"
            ),
            isolation=context.isolation,
            isolation_detail=context.isolation_detail,
            backend=context.backend,
        )


def new_case_seed() -> int:
    """A seed for generated cases that no answer can know."""
    return secrets.randbits(63)
