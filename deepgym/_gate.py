"""The gate before a client's runs: many beside each other, or one alone.

Theory of operation. A run enters shared. A run whose time-out is in doubt is judged once more alone: it waits until
every other one of its client has ended, and new ones wait until it has. Runs are started from threads and from event
loops alike, so the gate's state is kept under a plain lock that is never held while waiting, and whoever leaves lets
the next ones in and wakes them.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator

from deepgym._forks import forget_after_fork

__all__ = ["Gate"]

# A thread that waits here may be the one that runs the event loop of the runs that it waits for, and then neither would
# go on. After this long it goes in: being alone matters less than going on.
THREAD_PATIENCE_S = 60.0


class _Waiter:
    def __init__(self, wake: Callable[[], None], *, alone: bool) -> None:
        self.wake = wake
        self.alone = alone
        self.is_in = False


class Gate:
    """See the module's docstring."""

    def __init__(self) -> None:
        self._fresh()
        forget_after_fork(self)

    def _fresh(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._is_alone = False
        self._waiting: deque[_Waiter] = deque()

    def after_fork(self) -> None:
        """The runs under way are those of the other process."""
        self._fresh()

    @contextlib.contextmanager
    def entered(self, *, alone: bool = False) -> Iterator[None]:
        """Hold the gate for one run of this thread."""
        woken = threading.Event()
        waiter = self._enter(woken.set, alone=alone)
        try:
            if not woken.wait(THREAD_PATIENCE_S):
                self._force(waiter)
            yield
        finally:
            self._leave(waiter)

    @contextlib.asynccontextmanager
    async def entered_async(self, *, alone: bool = False) -> AsyncIterator[None]:
        """Hold the gate for one run of this event loop."""
        loop = asyncio.get_running_loop()
        woken: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not woken.done():
                woken.set_result(None)

        def wake_from_anywhere() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and its runs with it
                loop.call_soon_threadsafe(wake)

        waiter = self._enter(wake_from_anywhere, alone=alone)
        try:
            if not waiter.is_in:
                await woken
            yield
        finally:
            self._leave(waiter)

    def _enter(self, wake: Callable[[], None], *, alone: bool) -> _Waiter:
        waiter = _Waiter(wake, alone=alone)
        with self._lock:
            self._waiting.append(waiter)
            admitted = self._admit()
        for each in admitted:
            each.wake()
        return waiter

    def _leave(self, waiter: _Waiter) -> None:
        with self._lock:
            if waiter.is_in:
                self._running -= 1
                self._is_alone = self._is_alone and not waiter.alone
            elif waiter in self._waiting:
                self._waiting.remove(waiter)
            admitted = self._admit()
        for each in admitted:
            each.wake()

    def _admit(self) -> list[_Waiter]:
        """Let in whoever may enter now; those that want to be alone come first, or they might never be."""
        admitted: list[_Waiter] = []
        if self._is_alone or not self._waiting:
            return admitted
        first_alone = next((waiter for waiter in self._waiting if waiter.alone), None)
        if first_alone is None:
            admitted = list(self._waiting)
            self._waiting.clear()
        elif self._running == 0:
            self._waiting.remove(first_alone)
            self._is_alone = True
            admitted = [first_alone]
        for waiter in admitted:
            waiter.is_in = True
        self._running += len(admitted)
        return admitted

    def _force(self, waiter: _Waiter) -> None:
        with self._lock:
            if not waiter.is_in:
                self._waiting.remove(waiter)
                waiter.is_in, waiter.alone = True, False
                self._running += 1
