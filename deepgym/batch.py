"""Many answers at once: bounded in parallel, bounded in memory, each equal answer judged once.

Theory of operation. A `Batch` lives on one event loop. `submit` gives it an answer and never waits; its result is
delivered to a callback, in the order in which results come. Whoever feeds it (`astream` on the caller's loop, `stream`
from the caller's thread) takes no more answers than a window holds: an answer is in the window from when it is taken
until its result is handed on, so a hundred thousand answers from a generator need the memory of one window.

All answers to one environment in a batch face the same generated cases: their seed follows from a secret of the batch
and the environment's digest. Of equal answers to a deterministic environment the first one is run and the others wait
for its verdict; without one, each is run for itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import queue
import secrets
from collections import OrderedDict
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Sized,
)
from typing import Self

from deepgym._loops import LoopThread
from deepgym._progress import Progress, ProgressOption
from deepgym.errors import UsageError, VerifierSyntaxError
from deepgym.jobs import Prepared
from deepgym.models import Environment, RunResult
from deepgym.runner import Runner

__all__ = ["Batch", "Envs", "Feed", "astream", "stream"]

Envs = Environment | Iterable[Environment]

# Answers beyond those that run: enough that the next one is always at hand and that a few equal ones, which wait for
# the first, do not keep others from running.
_MIN_WINDOW = 64
_WINDOW_FACTOR = 4

# Verdicts that a stream remembers, to recognise equal answers. A list of results holds them anyway.
STREAM_MEMORY_BYTES = 32 * 1024 * 1024

# What a result weighs beside its texts.
_RESULT_BYTES = 2_000

# Environments that are kept read and compiled during a batch.
_KEPT_ENVIRONMENTS = 256

Deliver = Callable[[int, RunResult | BaseException], object]


class Batch:
    """Answers under way on the running event loop."""

    def __init__(
        self, runner: Runner, deliver: Deliver, *, max_parallel: int, memory_bytes: int | None = None
    ) -> None:
        """Start an empty batch.

        Args:
            runner: Runs the answers.
            deliver: Takes each answer's index and its result, or the exception that a run ended with.
            max_parallel: How many run at once.
            memory_bytes: How much to remember of verdicts; None: of all.
        """
        self._runner = runner
        self._deliver = deliver
        self._slots = asyncio.Semaphore(max_parallel)
        self._tasks: set[asyncio.Task[None]] = set()
        self._memory = _Memory(memory_bytes)
        self._secret = secrets.token_bytes(32)

    def submit(self, index: int, prepared: Prepared | RunResult, output: str) -> None:
        """Take one answer, to an environment or with the result that stands for one that cannot be run."""
        task = asyncio.get_running_loop().create_task(self._one(index, prepared, output))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        """Cancel what is under way, and wait until that has ended."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _one(self, index: int, prepared: Prepared | RunResult, output: str) -> None:
        try:
            result = (
                prepared if isinstance(prepared, RunResult) else await self._judge(index, prepared, output)
            )
        except asyncio.CancelledError:
            raise
        except BaseException as exc:  # noqa: BLE001 - raised where the results are taken
            self._deliver(index, exc)
        else:
            self._deliver(index, result)

    async def _judge(self, index: int, prepared: Prepared, output: str) -> RunResult:
        if not prepared.env.deterministic:
            return await self._run(prepared, output)
        text = hashlib.blake2b(output.encode("utf-8", "surrogatepass")).digest()
        key = prepared.digest + text
        first = self._memory.get(key)
        if first is not None:
            result = await first.verdict()
            if result is not None:
                return result.model_copy(update={"deduplicated_from": first.index, "execution_time_ms": 0.0})
            return await self._run(prepared, output)
        with self._memory.first(key, index) as first:
            result = await self._run(prepared, output)
            first.keep(result)
        return result

    async def _run(self, prepared: Prepared, output: str) -> RunResult:
        async with self._slots:
            return await self._runner.arun(prepared, output, case_seed=self._case_seed(prepared))

    def _case_seed(self, prepared: Prepared) -> int:
        seed = hashlib.blake2b(prepared.digest, key=self._secret, digest_size=8).digest()
        return int.from_bytes(seed, "big") >> 1


class _First:
    """The first of equal answers."""

    def __init__(self, memory: _Memory, key: bytes, index: int) -> None:
        self.index = index
        self.size = 0
        self._memory = memory
        self._key = key
        self._verdict: asyncio.Future[RunResult | None] = asyncio.get_running_loop().create_future()

    @property
    def is_done(self) -> bool:
        return self._verdict.done()

    async def verdict(self) -> RunResult | None:
        """Its result; None when it came to no verdict."""
        return await asyncio.shield(self._verdict)

    def keep(self, result: RunResult) -> None:
        if result.has_verdict:
            self.size = _RESULT_BYTES + len(result.stdout) + len(result.stderr) + len(result.details)
            self._verdict.set_result(result)
            self._memory.kept(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._verdict.done():
            self._memory.forget(self._key)
            self._verdict.set_result(None)


class _Memory:
    """The answers of a batch that others may equal, the ones least needed forgotten first."""

    def __init__(self, limit_bytes: int | None) -> None:
        self._limit_bytes = limit_bytes
        self._used_bytes = 0
        self._firsts: OrderedDict[bytes, _First] = OrderedDict()

    def get(self, key: bytes) -> _First | None:
        first = self._firsts.get(key)
        if first is not None:
            self._firsts.move_to_end(key)
        return first

    def first(self, key: bytes, index: int) -> _First:
        self._firsts[key] = first = _First(self, key, index)
        return first

    def forget(self, key: bytes) -> None:
        del self._firsts[key]

    def kept(self, first: _First) -> None:
        self._used_bytes += first.size
        while self._limit_bytes is not None and self._used_bytes > self._limit_bytes:
            key, oldest = self._firsts.popitem(last=False)
            if oldest.is_done:
                self._used_bytes -= oldest.size
            else:  # under way: there are never more of these than the window holds
                self._firsts[key] = oldest


class Feed:
    """The answers of a batch, each with its environment read and compiled, taken one by one.

    A verifier that cannot be used is the caller's mistake: of a single environment it is raised at once. Of many, which
    may come from a generator, it is the result of the answer that it concerns, so that it does not end the others; with
    `strict` all are there, and are looked at before any answer runs.
    """

    def __init__(
        self,
        runner: Runner,
        envs: Envs,
        outputs: Iterable[str] | AsyncIterable[str],
        *,
        strict: bool = False,
    ) -> None:
        """Check what can be checked before the first answer is taken.

        Raises:
            UsageError: There are not as many answers as environments, or an environment cannot be used.
            TypeError: An argument is of another type.
        """
        if isinstance(outputs, (str, bytes)) or not isinstance(outputs, (Iterable, AsyncIterable)):
            raise TypeError(f"outputs must be an iterable of answers (str), not one {type(outputs).__name__}")
        self._runner = runner
        self._single = isinstance(envs, Environment)
        self._strict = strict or self._single
        self._kept: OrderedDict[int, Prepared | RunResult] = OrderedDict()
        self._known: OrderedDict[int, Environment] = OrderedDict()
        self.total = len(outputs) if isinstance(outputs, Sized) else None
        if isinstance(envs, Environment):
            self._prepared(envs)
            self._envs: Iterator[Environment] = iter(_forever(envs))
        elif isinstance(envs, Iterable) and not isinstance(envs, (str, bytes, dict)):
            if isinstance(envs, Sized) and self.total is not None and len(envs) != self.total:
                raise UsageError(
                    f"{self.total} answers and {len(envs)} environments: give one environment for all, or one each"
                )
            self._envs = iter(envs)
        else:
            raise TypeError(
                f"env_or_envs must be an Environment or several, not {type(envs).__name__}: load_environment(name) "
                "gives one"
            )
        self._count = 0
        if strict:
            self._check_all(envs, outputs)

    def _check_all(self, envs: Envs, outputs: Iterable[str] | AsyncIterable[str]) -> None:
        if not isinstance(envs, Environment):
            for index, env in enumerate(envs):
                _check_environment(index, env)
                self._prepared(env)
        if isinstance(outputs, Iterable):
            for index, output in enumerate(outputs):
                _check_output(index, output)

    def take(self, output: str) -> tuple[int, Prepared | RunResult, str]:
        """An answer's index, its environment, and the answer.

        Raises:
            TypeError: It is no str, or its environment is none.
            UsageError: There is no environment left for it.
        """
        index = self._count
        _check_output(index, output)
        env = next(self._envs, None)
        if env is None:
            raise UsageError(f"there are more than {index} answers and only {index} environments")
        _check_environment(index, env)
        self._count += 1
        return index, self._prepared(env), output

    def finish(self) -> int:
        """How many answers were taken, now that there are no more.

        Raises:
            UsageError: There are environments left.
        """
        if not self._single and next(self._envs, None) is not None:
            raise UsageError(f"there are only {self._count} answers and more environments")
        return self._count

    def _prepared(self, env: Environment) -> Prepared | RunResult:
        if self._known.get(id(env)) is env:
            return self._kept[id(env)]
        prepared: Prepared | RunResult
        try:
            prepared = self._runner.prepare(env)
        except UsageError as exc:
            if self._strict:
                raise
            prepared = _unusable(exc)
        self._known[id(env)], self._kept[id(env)] = env, prepared
        if len(self._known) > _KEPT_ENVIRONMENTS and not self._strict:
            self._known.popitem(last=False)
            self._kept.popitem(last=False)
        return prepared


def _check_output(index: int, output: object) -> None:
    if not isinstance(output, str):
        raise TypeError(f"outputs[{index}] must be a str, not {type(output).__name__}")


def _check_environment(index: int, env: object) -> None:
    if not isinstance(env, Environment):
        raise TypeError(f"environment {index} must be an Environment, not {type(env).__name__}")


def _forever(env: Environment) -> Iterator[Environment]:
    while True:
        yield env


def _unusable(error: UsageError) -> RunResult:
    where = ""
    if isinstance(error, VerifierSyntaxError):
        where = f" ({error.filename}, line {error.lineno})"
    return RunResult(
        score=0.0,
        passed=False,
        has_verdict=False,
        error_type="verifier_error",
        exit_code=2,
        details=f"the environment cannot be used: {error}{where if where not in str(error) else ''}",
    )


def _window(max_parallel: int) -> int:
    return max(_MIN_WINDOW, _WINDOW_FACTOR * max_parallel)


async def astream(
    runner: Runner,
    feed: Feed,
    outputs: Iterable[str] | AsyncIterable[str],
    *,
    max_parallel: int,
    progress: ProgressOption,
    memory_bytes: int | None = STREAM_MEMORY_BYTES,
) -> AsyncGenerator[tuple[int, RunResult], None]:
    """Index and result of each answer as it comes, on the running event loop.

    Raises:
        TypeError: An answer is no str.
        UsageError: There are not as many answers as environments.
    """
    come: asyncio.Queue[tuple[int, RunResult | BaseException] | None] = asyncio.Queue()
    room = asyncio.Semaphore(_window(max_parallel))
    batch = Batch(
        runner,
        lambda index, result: come.put_nowait((index, result)),
        max_parallel=max_parallel,
        memory_bytes=memory_bytes,
    )

    async def take_all() -> int:
        await room.acquire()
        async for output in _each(outputs):
            batch.submit(*feed.take(output))
            await room.acquire()
        return feed.finish()

    feeder = asyncio.get_running_loop().create_task(take_all())
    feeder.add_done_callback(lambda _: come.put_nowait(None))
    shown = Progress(progress, feed.total)
    handed_on = 0
    try:
        while not feeder.done() or handed_on < feeder.result():
            item = await come.get()
            if item is None:
                continue
            index, result = item
            if isinstance(result, BaseException):
                raise result
            shown.advance(result)
            yield index, result
            handed_on += 1
            room.release()
    finally:
        shown.close()
        feeder.cancel()
        await asyncio.gather(feeder, return_exceptions=True)
        await batch.aclose()


async def _each(outputs: Iterable[str] | AsyncIterable[str]) -> AsyncIterator[str]:
    if isinstance(outputs, AsyncIterable):
        async for output in outputs:
            yield output
    else:
        for output in outputs:
            yield output


def stream(
    runner: Runner,
    feed: Feed,
    outputs: Iterable[str],
    *,
    max_parallel: int,
    progress: ProgressOption,
    memory_bytes: int | None = STREAM_MEMORY_BYTES,
) -> Generator[tuple[int, RunResult], None, None]:
    """Index and result of each answer as it comes. Answers are taken in the caller's thread, and run meanwhile.

    Raises:
        TypeError: An answer is no str.
        UsageError: There are not as many answers as environments.
    """
    come: queue.SimpleQueue[tuple[int, RunResult | BaseException]] = queue.SimpleQueue()
    window = _window(max_parallel)
    shown = Progress(progress, feed.total)
    with LoopThread() as loop:
        batch = loop.run(_new_batch(runner, come, max_parallel, memory_bytes))
        try:
            waiting, left = iter(outputs), True
            open_answers = 0
            while left or open_answers:
                # Results go first, once there is enough to do.
                while left and (open_answers < 2 * max_parallel or (come.empty() and open_answers < window)):
                    try:
                        output = next(waiting)
                    except StopIteration:
                        left = False
                        feed.finish()
                        break
                    loop.call_soon(batch.submit, *feed.take(output))
                    open_answers += 1
                if not open_answers:
                    break
                loop.check_alive()
                index, result = come.get()
                if isinstance(result, BaseException):
                    raise result
                shown.advance(result)
                yield index, result
                open_answers -= 1
        finally:
            shown.close()


async def _new_batch(
    runner: Runner,
    come: queue.SimpleQueue[tuple[int, RunResult | BaseException]],
    max_parallel: int,
    memory_bytes: int | None,
) -> Batch:
    return Batch(
        runner,
        lambda index, result: come.put((index, result)),
        max_parallel=max_parallel,
        memory_bytes=memory_bytes,
    )
