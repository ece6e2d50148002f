"""An event loop in a thread of its own, on which all remote runs of a client are under way.

Callers may be synchronous, or on event loops that come and go; the providers' connections belong to
one loop. A process that was forked from this one has no such thread and starts its own.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

_STOP_S = 5.0


class LoopThread:
    """Starts its loop when it is first used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()

    @property
    def is_inherited(self) -> bool:
        """This process was forked from the one that started the loop."""
        return self._pid != os.getpid()

    def submit(self, call: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the loop; cancelling the future cancels it."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name="deepgym-remote", daemon=True
                )
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(call, self._loop)

    def stop(self) -> None:
        """Cancel what is under way and end the thread."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None or self.is_inherited:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_STOP_S)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        rest = asyncio.all_tasks(loop)
        for task in rest:
            task.cancel()
        if rest:
            loop.run_until_complete(asyncio.wait(rest, timeout=_STOP_S / 2))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
