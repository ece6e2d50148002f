"""Calls of this package's own functions in worker processes that can be killed.

Some comparisons cannot be bounded from inside: a power tower in sympy, a backtracking pattern in a
schema, a document of nested aliases. They run here.

Theory of operation. A worker is a fresh Python (never a fork of the caller, which may be threaded)
that reads one JSON line a request from its stdin and writes one a reply to a private copy of its
stdout; ``_bounded_child`` is its side. Workers are reused: a call borrows an idle one or starts one,
up to a number of workers, beyond which threads wait for each other. The caller measures the worker's
CPU time, not the wall clock, so that a loaded machine changes no verdict; a worker over its limit is
killed. A worker that died, or whose call raised, is replaced and the call tried once more: what the
candidate causes happens again, what the machine did does not.

A worker ends when its stdin closes: at exit of the interpreter (by atexit, which also reaps it), or
by the kernel when the caller is killed. A busy worker whose caller is gone notices by its parent's
id, or dies by its CPU limit. A forked child of the caller drops the inherited workers and starts its
own; the descriptors are close-on-exec, so that no other program holds them.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import selectors
import subprocess
import sys
import threading
import time
from typing import Any

from verifyit.reward import GradingInfraError

# As many at once as there are cores to run them, and no more than a small machine can hold in memory.
MAX_WORKERS = max(1, min(os.cpu_count() or 1, 8))
# A worker that has used less CPU than its limit after this long is not computing: the machine is
# stuck. Twelve times the usual limit of five seconds lets an honest call through heavy load.
WALL_LIMIT_S = 60.0
# Starting Python and importing sympy takes a second on an idle machine.
LOAD_LIMIT_S = 180.0
MAX_REPLY_BYTES = 4 * 1024 * 1024

_BOOTSTRAP = (
    "import sys, json; sys.path[:] = json.loads(sys.stdin.buffer.readline());"
    "from verifyit._bounded_child import main; main()"
)


class BoundedCallError(Exception):
    """A call did not give a value, for a reason that lies in what it was given.

    ``reason`` is ``deadline`` (over its CPU limit), ``crash`` (the worker died) or ``error`` (the
    function raised).
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class _WorkerLostError(Exception):
    """The worker died or its pipe broke."""


class _Worker:
    """One process and its two pipes."""

    def __init__(self) -> None:
        if not sys.executable:
            raise OSError("the path of the Python interpreter is unknown")
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-s", "-c", _BOOTSTRAP],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests = self._process.stdin
        self._replies = self._process.stdout
        os.set_blocking(self._requests.fileno(), False)
        os.set_blocking(self._replies.fileno(), False)
        self._loaded: set[str] = set()
        self._greeting = json.dumps([entry or os.getcwd() for entry in sys.path]).encode() + b"\n"

    def load(self, module: str) -> None:
        """Import a module in the worker, outside of any call's limit.

        Raises:
            GradingInfraError: The import fails there or takes too long.
            _WorkerLostError: The worker died.
        """
        if module in self._loaded:
            return
        reply = self._exchange({"load": module}, cpu_limit_s=LOAD_LIMIT_S, wall_limit_s=LOAD_LIMIT_S)
        if "infra" in reply:
            raise GradingInfraError(reply["infra"], **reply.get("detail", {}))
        self._loaded.add(module)

    def call(self, function: str, arguments: dict[str, Any], cpu_limit_s: float) -> dict[str, Any]:
        """The reply to one call.

        Raises:
            BoundedCallError: The call used up its CPU time.
            GradingInfraError: The worker stands still.
            _WorkerLostError: The worker died.
        """
        request = {"call": function, "arguments": arguments, "cpu_limit_s": cpu_limit_s}
        return self._exchange(request, cpu_limit_s=cpu_limit_s, wall_limit_s=WALL_LIMIT_S)

    def _exchange(
        self, request: dict[str, Any], *, cpu_limit_s: float, wall_limit_s: float
    ) -> dict[str, Any]:
        outgoing = memoryview(self._greeting + json.dumps(request).encode() + b"\n")
        self._greeting = b""
        incoming = bytearray()
        started = time.monotonic()
        cpu_started = self._cpu_s()
        with selectors.DefaultSelector() as selector:
            selector.register(self._replies, selectors.EVENT_READ)
            selector.register(self._requests, selectors.EVENT_WRITE)
            while not incoming.endswith(b"\n"):
                left_s = cpu_limit_s - (self._cpu_s() - cpu_started)
                if left_s <= 0:
                    raise BoundedCallError("deadline", f"more than {cpu_limit_s:g} s of computing")
                left_s = min(left_s, wall_limit_s - (time.monotonic() - started))
                if left_s <= 0:
                    raise GradingInfraError(f"a worker gave no reply in {wall_limit_s:g} s of waiting")
                for key, _ in selector.select(left_s):
                    if key.fileobj is self._replies:
                        incoming += self._receive()
                    else:
                        outgoing = outgoing[self._send(outgoing) :]
                        if not outgoing:
                            selector.unregister(self._requests)
                if len(incoming) > MAX_REPLY_BYTES:
                    raise _WorkerLostError
        reply: dict[str, Any] = json.loads(incoming)
        return reply

    def _receive(self) -> bytes:
        chunk = self._replies.read(65536)
        if not chunk:
            raise _WorkerLostError
        return bytes(chunk)

    def _send(self, outgoing: memoryview) -> int:
        try:
            return self._requests.write(outgoing) or 0
        except BrokenPipeError:
            raise _WorkerLostError from None

    def _cpu_s(self) -> float:
        """The CPU time the worker has used; where the system cannot tell, the wall clock stands in."""
        if sys.platform != "linux":
            return time.monotonic() / 4
        try:
            # The kernel's id of another process's CPU clock, as clock_getcpuclockid(3) makes it.
            return time.clock_gettime((~self._process.pid << 3) | 2)
        except OSError:
            raise _WorkerLostError from None

    def close(self) -> None:
        """Kill and reap the process, and close both pipes."""
        self._process.kill()
        self.forget()
        self._process.wait()

    def forget(self) -> None:
        """Close the pipes without touching the process, which may belong to another one."""
        for pipe in (self._requests, self._replies):
            with contextlib.suppress(OSError):
                pipe.close()

    def disown(self) -> None:
        """In a forked child: drop a worker that is the parent's."""
        self.forget()
        # Popen would warn of a process that it believes to be this one's child.
        self._process.returncode = 0


def _environment() -> dict[str, str]:
    # A fixed hash seed makes sympy order its terms the same way in every worker.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PYTHONHASHSEED": "0"}


class _Pool:
    """The idle workers, and how many more may be started."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._room = threading.BoundedSemaphore(MAX_WORKERS)
        self._lock = threading.Lock()

    def borrow(self) -> _Worker:
        """An idle worker or a new one; waits while all are busy.

        Raises:
            GradingInfraError: No process can be started.
        """
        self._room.acquire()
        try:
            with self._lock:
                if self._idle:
                    return self._idle.pop()
            worker = _Worker()
        except BaseException as error:
            self._room.release()
            if isinstance(error, OSError):
                raise GradingInfraError(f"a worker process cannot be started: {error}") from error
            raise
        with self._lock:
            self._all.add(worker)
        return worker

    def give_back(self, worker: _Worker, *, usable: bool) -> None:
        """Make a worker available again, or end it."""
        with self._lock:
            if usable:
                self._idle.append(worker)
            else:
                self._all.discard(worker)
        if not usable:
            worker.close()
        self._room.release()

    def close(self) -> None:
        """End every worker."""
        with self._lock:
            workers, self._idle = list(self._all), []
            self._all.clear()
        for worker in workers:
            worker.close()

    def disown(self) -> None:
        """In a forked child: drop the workers, which are the parent's."""
        for worker in self._all:
            worker.disown()


_pool = _Pool()


def _after_fork_in_child() -> None:
    global _pool
    inherited, _pool = _pool, _Pool()
    inherited.disown()


def _close_at_exit() -> None:
    _pool.close()


os.register_at_fork(after_in_child=_after_fork_in_child)
atexit.register(_close_at_exit)


def call_in_worker(module: str, function: str, arguments: dict[str, Any], *, cpu_limit_s: float) -> Any:
    """The value of a function of this package, computed in a worker.

    Args:
        module: The dotted name of the module.
        function: The name of a function in it that takes the arguments by name.
        arguments: Values that JSON can carry, as is the function's value.
        cpu_limit_s: The CPU time the call may use, imports not counted.

    Raises:
        BoundedCallError: The call used up its CPU time, or crashed or raised in two workers.
        GradingInfraError: No worker could be started, an import failed in it, or it stood still.
    """
    try:
        return _attempt(module, function, arguments, cpu_limit_s)
    except BoundedCallError as error:
        if error.reason == "deadline":
            raise
    return _attempt(module, function, arguments, cpu_limit_s)


def _attempt(module: str, function: str, arguments: dict[str, Any], cpu_limit_s: float) -> Any:
    pool = _pool
    worker = pool.borrow()
    usable = False
    try:
        worker.load(module)
        reply = worker.call(f"{module}:{function}", arguments, cpu_limit_s)
        usable = "raised" not in reply
    except _WorkerLostError:
        raise BoundedCallError("crash", "the worker process died") from None
    finally:
        pool.give_back(worker, usable=usable)
    if "raised" in reply:
        raise BoundedCallError("error", str(reply["raised"]))
    if "infra" in reply:
        raise GradingInfraError(reply["infra"], **reply.get("detail", {}))
    return reply["value"]
