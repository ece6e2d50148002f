"""An event loop in a thread of its own, for callers that have none, or that have one which they may not block."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

__all__ = ["LoopThread"]

T = TypeVar("T")

# How long an ended batch may take to see its runs off before the thread is left to itself.
_CLOSE_S = 10.0


class LoopThread:
    """Use as a context manager: the loop runs inside it, and whatever still runs on it at the end is cancelled.

    The caller's thread may have a running loop itself (a notebook, an async trainer that calls a sync reward function).
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        # A daemon: an interpreter that ends does not wait for a batch that nobody takes results of any more.
        self._thread = threading.Thread(target=self._serve, name="deepgym-batch", daemon=True)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            _cancel_all(self._loop)
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            asyncio.set_event_loop(None)
            self._loop.close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if (
            self._thread.is_alive()
        ):  # else this process was forked off in the middle, and the thread is not in it
            self.call_soon(self._loop.stop)
            self._thread.join(_CLOSE_S)

    def check_alive(self) -> None:
        """Refuse to wait for what can never come.

        Raises:
            RuntimeError: This process was forked from the one that started the thread.
        """
        if not self._thread.is_alive():
            raise RuntimeError(
                "a batch belongs to the process that started it: start another one after fork()"
            )

    def call_soon(self, callback: Callable[..., object], *args: object) -> None:
        """Have the loop call something; nothing happens when the loop has ended."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(callback, *args)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine that runs on the loop. An exception in this thread (Ctrl-C) cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # leaving the loop waits until the coroutine has seen to that
            raise


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
