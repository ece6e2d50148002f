"""Our own clock around calls into other people's code.

Some SDK calls have no timeout, some have one that does not hold, and some swallow
cancellation. Nothing here waits for such a call once its time is up: the call is
abandoned, and what it may still bring (a box, say) is given to a clean-up function.
"""

import asyncio
import contextlib
import random
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from deepgym.errors import SandboxInfraError

T = TypeVar("T")

# A provider that just refused is given 0.2 s, then 0.4 s, 0.8 s ... each times a random factor.
FIRST_PAUSE_S = 0.2
JITTER = (0.5, 1.5)

# Clean-up of abandoned calls; the set keeps the loop's only strong reference to them.
_abandoned: set["asyncio.Task[Any]"] = set()


@dataclass(frozen=True)
class Deadline:
    """A moment on the monotonic clock: a wall clock that jumps changes nothing."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        """The moment that many seconds from now."""
        return cls(time.monotonic() + seconds)

    def remaining_s(self) -> float:
        """Seconds left; zero once the moment has passed."""
        return max(0.0, self.at - time.monotonic())

    def expired(self) -> bool:
        """Whether the moment has passed."""
        return self.remaining_s() == 0.0

    def within(self, seconds: float) -> "Deadline":
        """The earlier of this moment and that many seconds from now."""
        return Deadline(min(self.at, time.monotonic() + seconds))


async def bounded(
    call: Coroutine[Any, Any, T],
    deadline: Deadline,
    what: str,
    *,
    late: Callable[[T], Awaitable[object]] | None = None,
) -> T:
    """Await a call, but not past the deadline, whatever the call does about being cancelled.

    Args:
        call: The coroutine to run.
        deadline: When to give up.
        what: The call's name, for the error.
        late: What to do with a result that comes after nobody waits for it any more
            (destroy a box that was created too late).

    Raises:
        SandboxInfraError: The deadline passed first (`timeout`). What the call itself
            raises comes through.
    """
    task = asyncio.ensure_future(call)
    started = time.monotonic()
    try:
        done, _ = await asyncio.wait({task}, timeout=deadline.remaining_s())
    except asyncio.CancelledError:
        _abandon(task, late)
        raise
    if task.cancelled():
        # Not by us: a client that cancels its own work must not look like our caller being cancelled.
        raise SandboxInfraError("protocol", f"{what} was cancelled by the provider's client", retryable=True)
    if done:
        return task.result()
    _abandon(task, late)
    waited = time.monotonic() - started
    raise SandboxInfraError("timeout", f"{what} did not answer within {waited:.1f} s", retryable=True)


def _abandon(task: "asyncio.Task[T]", late: Callable[[T], Awaitable[object]] | None) -> None:
    """Stop waiting for a task: cancel it, unless its result has to be cleaned up."""

    async def see_off() -> None:
        with contextlib.suppress(asyncio.CancelledError, Exception):
            result = await task
            if late is not None:
                await late(result)

    if late is None:
        task.cancel()
    see_off_task = asyncio.ensure_future(see_off())
    _abandoned.add(see_off_task)
    see_off_task.add_done_callback(_abandoned.discard)


async def settle_abandoned(timeout_s: float) -> None:
    """Give the clean-up of abandoned calls on this loop a little time to finish."""
    loop = asyncio.get_running_loop()
    mine = {task for task in _abandoned if task.get_loop() is loop}
    if mine:
        await asyncio.wait(mine, timeout=timeout_s)


async def in_thread(call: Callable[..., T], /, *args: object, **kwargs: object) -> T:
    """Run a blocking call in a daemon thread of its own.

    Not in the loop's executor: a call that never returns would hold one of its few
    threads, and the interpreter's exit, for ever.

    Raises:
        Exception: Whatever the call raises.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]  # no error: the call returned a T

    def work() -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            result = call(*args, **kwargs)
        except BaseException as caught:  # noqa: BLE001  # carried to the awaiting side, and raised there
            error = caught
        # A closed loop: the caller is gone, and nobody waits.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(deliver, result, error)

    threading.Thread(target=work, name="deepgym-call", daemon=True).start()
    return await future


async def retrying(
    attempt: Callable[[], Awaitable[T]],
    deadline: Deadline,
    *,
    attempts: int,
    first_pause_s: float = FIRST_PAUSE_S,
) -> T:
    """Try something that has not begun until it works, a bounded number of times.

    Only a `SandboxInfraError` that says it is retryable is tried again, after a pause
    that doubles and varies at random, so that many runs do not come back at once.

    Raises:
        SandboxInfraError: The last attempt's, or the first one that is not retryable.
    """
    pause_s = first_pause_s
    for left in range(attempts - 1, -1, -1):
        try:
            return await attempt()
        except SandboxInfraError as error:
            wait_s = pause_s * random.uniform(*JITTER)  # noqa: S311  # spreads load; nothing secret
            if not (error.retryable and left) or deadline.remaining_s() <= wait_s:
                raise
        await asyncio.sleep(wait_s)
        pause_s *= 2
    raise AssertionError("attempts must be at least 1")
