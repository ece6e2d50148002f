"""`DeepGym`: the one object that runs answers against environments, on any backend."""

from __future__ import annotations

import secrets
import weakref
from types import TracebackType
from typing import Self

from deepgym.backends.opening import open_backend
from deepgym.jobs import JobMaker, make_result
from deepgym.ladder import weaker_than
from deepgym.models import Environment, RunResult

__all__ = ["DeepGym"]


class DeepGym:
    """Runs answers against environments and returns scores that the answers could not fake.

    Use it as a context manager, or close it; it also closes when it is collected and when the interpreter ends.
    One client may be used from many threads, from asyncio, and in processes forked from its own.
    """

    def __init__(self, mode: str = "local", *, max_parallel: int | None = None) -> None:
        """Make a client; nothing is started before the first run.

        Args:
            mode: Where to run: "local", or the name of another backend.
            max_parallel: How many runs may be under way at once in batches; the cores this process may use unless
                given.

        Raises:
            UsageError: There is no such mode.
            BackendUnavailableError: What the backend needs is missing; the message names it.
        """
        self.mode = mode
        self.max_parallel = max_parallel
        self._backend = open_backend(mode)
        self._jobs = JobMaker()
        self._finalizer = weakref.finalize(self, self._backend.close)

    def run(self, env: Environment, model_output: str) -> RunResult:
        """Run one answer.

        Args:
            env: The environment.
            model_output: The answer: source text. Any text is judged.

        Returns:
            How it ended; every ending of a run is a result.

        Raises:
            UsageError: The caller's mistake: a verifier that cannot be parsed, an unknown field or option.
            TypeError: model_output is no str.
        """
        refused = self._refusal(env)
        job = self._jobs.make(env, model_output, case_seed=secrets.randbits(63))
        if refused is not None:
            return refused
        outcome, attempts = self._backend.execute(job)
        return make_result(env, job, outcome, self._backend.context, attempts=attempts)

    async def arun(self, env: Environment, model_output: str, *, case_seed: int | None = None) -> RunResult:
        """Run one answer on the running event loop; see `run`. Cancelling ends the run and leaves nothing."""
        refused = self._refusal(env)
        seed = secrets.randbits(63) if case_seed is None else case_seed
        job = self._jobs.make(env, model_output, case_seed=seed)
        if refused is not None:
            return refused
        outcome, attempts = await self._backend.execute_async(job)
        return make_result(env, job, outcome, self._backend.context, attempts=attempts)

    def _refusal(self, env: Environment) -> RunResult | None:
        """The result of a run that the environment does not want under this wall."""
        context = self._backend.context
        if env.min_isolation is None or not weaker_than(context.isolation, env.min_isolation):
            return None
        return RunResult(
            score=0.0,
            passed=False,
            has_verdict=False,
            error_type="sandbox_error",
            details=(
                f"the environment demands isolation {env.min_isolation!r} and this is {context.isolation!r} "
                f"({context.isolation_detail}): `deepgym doctor` says what would raise it"
            ),
            isolation=context.isolation,
            isolation_detail=context.isolation_detail,
            backend=context.backend,
        )

    def close(self) -> None:
        """End everything that this client has started."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"DeepGym(mode={self.mode!r})"
