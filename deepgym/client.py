"""`DeepGym`: the one object that runs answers against environments, on any backend."""

from __future__ import annotations

import functools
import os
import time
import weakref
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable, Mapping
from types import TracebackType
from typing import Self

from deepgym import batch
from deepgym._loops import LoopThread
from deepgym._progress import ProgressOption
from deepgym.backends.opening import open_backend, usual_parallel
from deepgym.cache import VerdictCache
from deepgym.errors import UsageError
from deepgym.models import BatchResult, Environment, RunResult
from deepgym.runner import Runner, new_case_seed

__all__ = ["DeepGym"]


class DeepGym:
    """Runs answers against environments and returns scores that the answers could not fake.

    Use it as a context manager, or close it; it also closes when it is collected and when the interpreter ends.
    One client may be used from many threads, from asyncio, and in processes forked from its own.

    Attributes:
        mode: Where it runs.
        max_parallel: How many runs of a batch may be under way at once.
        cache: Verdicts on disk, or None.
    """

    def __init__(
        self,
        mode: str = "local",
        *,
        max_parallel: int | None = None,
        cache: str | os.PathLike[str] | VerdictCache | None = None,
        backend_options: Mapping[str, object] | None = None,
        judge: str = "sealed",
    ) -> None:
        """Make a client; nothing is started before the first run.

        Args:
            mode: Where to run: "local", "docker", "modal", "e2b", "daytona", "apple", a backend that another package
                registers, or "auto": what the environment asks for, else the strongest that is configured.
            max_parallel: How many runs of a batch may be under way at once; unless given, the cores this process may
                use, and for other machines what their smallest accounts allow.
            cache: A file that keeps verdicts, so that an answer that was judged once need not run again; see
                `VerdictCache`. Without, every answer runs.
            backend_options: What the mode's backend takes, such as `{"image": ...}` for docker.
            judge: Where verifiers run: "sealed", in a box like a solution's but with their own files and programs, or
                "host", for mode="local" only: as the caller, with its files, its network and its environment. Solutions
                stay sealed either way. Let only verifiers that you would run yourself run on the host.

        Raises:
            UsageError: There is no such mode, option or judge, max_parallel is below 1, or cache is a folder.
            BackendUnavailableError: What the backend needs is missing; the message names it.
        """
        self.mode = mode
        limit = None if max_parallel is None else _checked(max_parallel)
        self.cache = VerdictCache(cache) if isinstance(cache, (str, os.PathLike)) else cache
        backend = open_backend(mode, max_parallel=limit, options=backend_options, judge=judge)
        self.max_parallel = limit or usual_parallel(mode)
        self._remake = functools.partial(
            DeepGym,
            mode,
            max_parallel=max_parallel,
            cache=self.cache,
            backend_options=backend_options,
            judge=judge,
        )
        self._runner = Runner(backend, mode=mode, cache=self.cache)
        self._finalizer = weakref.finalize(self, backend.close)

    def run(self, env: Environment, model_output: str) -> RunResult:
        """Run one answer.

        Args:
            env: The environment.
            model_output: The answer: source text. Any text is judged.

        Returns:
            How it ended; every ending of a run is a result.

        Raises:
            UsageError: The caller's mistake: a verifier that cannot be parsed, an unknown field or option.
            TypeError: env is no Environment, or model_output no str.
            BackendUnavailableError: The client is closed.
        """
        return self._runner.run(self._runner.prepare(env), model_output, case_seed=new_case_seed())

    async def arun(self, env: Environment, model_output: str, *, case_seed: int | None = None) -> RunResult:
        """Run one answer on the running event loop; see `run`. Cancelling ends the run and leaves nothing."""
        seed = new_case_seed() if case_seed is None else case_seed
        return await self._runner.arun(self._runner.prepare(env), model_output, case_seed=seed)

    def run_batch(
        self,
        env_or_envs: batch.Envs,
        outputs: Iterable[str],
        max_parallel: int | None = None,
        *,
        progress: ProgressOption = None,
    ) -> BatchResult:
        """Run many answers and wait for all.

        Equal answers to one environment are judged once, unless it says that it is not deterministic; the others'
        results say so in `deduplicated_from`. All answers to an environment face the same generated cases. An answer
        that cannot be judged has a result without a verdict, and the others are not touched by it. Ctrl-C ends what is
        under way at once. It works where an event loop is running too, as in a notebook.

        Args:
            env_or_envs: One environment for all answers, or one for each.
            outputs: The answers.
            max_parallel: How many run at once; the client's unless given.
            progress: None shows a bar on a terminal when it takes long, True at once, False never. A function is called
                with the number of answers that are done, and of all.

        Returns:
            The results in the order of the answers, and figures over them.

        Raises:
            UsageError: Before any answer runs: a verifier that cannot be parsed, not as many answers as environments,
                max_parallel below 1.
            TypeError: Before any answer runs: one of them is no str, or env_or_envs no Environment.
            BackendUnavailableError: The client is closed.
        """
        given = list(_several(outputs))
        work = self.arun_batch(_listed(env_or_envs), given, max_parallel, progress=progress)
        with LoopThread() as loop:
            return loop.run(work)

    async def arun_batch(
        self,
        env_or_envs: batch.Envs,
        outputs: Iterable[str] | AsyncIterable[str],
        max_parallel: int | None = None,
        *,
        progress: ProgressOption = None,
    ) -> BatchResult:
        """Run many answers on the running event loop; see `run_batch`. Cancelling ends what is under way.

        The answers may come from an asynchronous iterable; those that are there run while others are awaited.
        """
        begun = time.monotonic()
        envs = _listed(env_or_envs)
        given = outputs if isinstance(outputs, AsyncIterable) else list(_several(outputs))
        feed = batch.Feed(self._runner, envs, given, strict=True)
        coming = batch.astream(
            self._runner,
            feed,
            given,
            max_parallel=self._parallel(max_parallel),
            progress=progress,
            memory_bytes=None,
        )
        try:
            results = {index: result async for index, result in coming}
        finally:
            await coming.aclose()
        in_order = tuple(results[index] for index in range(len(results)))
        return BatchResult(results=in_order, execution_time_ms=(time.monotonic() - begun) * 1000)

    def stream(
        self,
        env_or_envs: batch.Envs,
        outputs: Iterable[str],
        max_parallel: int | None = None,
        *,
        progress: ProgressOption = None,
    ) -> Generator[tuple[int, RunResult], None, None]:
        """Run many answers and get each result as soon as it is there: pairs of the answer's index and its result.

        Answers are taken from `outputs` as they are needed, in the caller's thread, and a bounded number ahead, so that
        any number of them streams in the same memory. Whoever stops taking results stops new runs; closing the
        generator, or an exception in the loop over it, ends what is under way. See `run_batch` for the rest.

        Returns:
            A generator of (index, result). Of several environments, one that cannot be used costs its own answers their
            verdict, and no others.

        Raises:
            UsageError: The one environment cannot be used, or max_parallel is below 1; while it runs: there are not as
                many answers as environments.
            TypeError: env_or_envs or outputs is something else; while it runs: an answer is no str.
        """
        feed = batch.Feed(self._runner, env_or_envs, outputs)
        parallel = self._parallel(max_parallel)
        return batch.stream(self._runner, feed, outputs, max_parallel=parallel, progress=progress)

    def astream(
        self,
        env_or_envs: batch.Envs,
        outputs: Iterable[str] | AsyncIterable[str],
        max_parallel: int | None = None,
        *,
        progress: ProgressOption = None,
    ) -> AsyncGenerator[tuple[int, RunResult], None]:
        """Run many answers on the running event loop and get each result as soon as it is there; see `stream`.

        The answers may come from an asynchronous iterable, so that answers are judged while others are generated.
        """
        feed = batch.Feed(self._runner, env_or_envs, outputs)
        parallel = self._parallel(max_parallel)
        return batch.astream(self._runner, feed, outputs, max_parallel=parallel, progress=progress)

    def _parallel(self, asked: int | None) -> int:
        return self.max_parallel if asked is None else _checked(asked)

    def close(self) -> None:
        """End everything that this client has started."""
        self._finalizer()
        if self.cache is not None:
            self.cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        """What another process gets is a client of its own, made in the same way."""
        return self._remake, ()

    def __repr__(self) -> str:
        return f"DeepGym(mode={self.mode!r})"


def _checked(max_parallel: int) -> int:
    if isinstance(max_parallel, bool) or not isinstance(max_parallel, int) or max_parallel < 1:
        raise UsageError(f"max_parallel={max_parallel!r}: use a whole number of at least 1")
    return max_parallel


def _several(outputs: Iterable[str]) -> Iterable[str]:
    """Outputs, unless they are a single one: iterating over a text would run each of its letters."""
    if isinstance(outputs, (str, bytes)) or not isinstance(outputs, Iterable):
        raise TypeError(f"outputs must be an iterable of answers (str), not one {type(outputs).__name__}")
    return outputs


def _listed(env_or_envs: batch.Envs) -> batch.Envs:
    # A name is several letters and no several environments: it stays one, to be refused as what it is.
    if isinstance(env_or_envs, (Environment, str, bytes, dict)) or not isinstance(env_or_envs, Iterable):
        return env_or_envs
    return list(env_or_envs)
