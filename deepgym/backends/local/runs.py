"""One run on the local hosts: sent, waited for, cancelled."""

from __future__ import annotations

import asyncio
import os
import select
import socket
import time
from typing import Self

from deepgym._forks import forget_after_fork
from deepgym._judge.job import Job, Outcome, decode_report, encode_job
from deepgym.backends.local.hosts import HostPair
from deepgym_solution import _limits
from deepgym_solution._child import wire
from deepgym_solution._process import HostError

# The judge host keeps the run's deadline; this much later than the last it could allow, the client gives up on it.
_GRACE_S = 30.0

# A process that is killed is gone to all who hold a socket of it after so long at the latest.
_DEATH_NEWS_S = 0.2


class HostLostError(HostError):
    """The host ended while the run was under way."""


class LocalRun:
    """A run under way. Closing it, at any time, ends its judge and its solution."""

    def __init__(self, pair: HostPair, job: Job, *, output_bytes: int) -> None:
        """Start the run.

        Raises:
            HostError: The host is gone.
            OSError: This process is out of descriptors or memory.
        """
        self._job = job
        self._output_bytes = output_bytes
        self._begun_at = time.monotonic()
        self._files: list[int] = []
        self._pid = os.getpid()
        self._pair = pair
        self._socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            for name in ("job", "stdout", "stderr", "report"):
                self._files.append(os.memfd_create(name, os.MFD_CLOEXEC))
            _write_all(self._files[0], encode_job(job))
            timeout_ms = max(1, round(job.timeout_s * 1000))
            request = wire.encode_value(("judge", job.judge_policy.as_tuple(), timeout_ms))
            pair.judge.send(request, (there.fileno(), *self._files))
            forget_after_fork(self)
        except BaseException:
            self.close()
            raise
        finally:
            there.close()

    def close(self) -> None:
        """Let go of the run: if it is still under way, it is ended. In a forked process: only let go of it."""
        if self._pid == os.getpid():
            try:
                # Processes that were forked from this one meanwhile hold copies, which must not keep the run alive.
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the host has closed its end
        self._socket.close()
        while self._files:
            os.close(self._files.pop())

    def after_fork(self) -> None:
        """The run is the other process's; its memory files need not live on here."""
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait(self) -> Outcome:
        """Block until the run has ended.

        Raises:
            HostLostError: The host went away.
        """
        poller = select.poll()
        poller.register(self._socket.fileno(), select.POLLIN)
        if not poller.poll(self._patience_s() * 1000):
            raise HostLostError("the judge host does not answer")
        return self._outcome()

    async def wait_async(self) -> Outcome:
        """Wait on the running event loop until the run has ended; cancelling ends the run.

        Raises:
            HostLostError: The host went away.
        """
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        fd = self._socket.fileno()

        def wake() -> None:
            if not ready.done():
                ready.set_result(None)

        loop.add_reader(fd, wake)
        try:
            await asyncio.wait_for(ready, self._patience_s())
        except TimeoutError:
            raise HostLostError("the judge host does not answer") from None
        finally:
            if self._pid == os.getpid():  # a forked process shares the loop's epoll with its parent
                loop.remove_reader(fd)
        return self._outcome()

    def _patience_s(self) -> float:
        return self._job.timeout_s * _limits.WALL_CEILING_FACTOR + _GRACE_S

    def _outcome(self) -> Outcome:
        try:
            data = self._socket.recv(4096)
        except OSError:
            data = b""
        if not data:
            raise HostLostError("the judge host ended during the run")
        message = wire.decode_value(data)  # the host is trusted
        assert type(message) is tuple
        _, stdout, stderr, report = self._files
        elapsed = time.monotonic() - self._begun_at
        if message[0] != "ended":
            return Outcome("lost", elapsed_s=elapsed, detail=str(message[1]))
        _, status, reason, begun, _, contended_s, doubtful = message
        error_text, error_bytes = self._read(stderr)
        if reason == "unsealed":
            return Outcome("lost", elapsed_s=elapsed, detail=error_text.decode("utf-8", "replace").strip())
        said = decode_report(_read_all(report)) if reason != "timeout" else None
        # A judge whose solution host died says that it could not start a solution, a little before the news is here.
        could_not_start = said is not None and said.how == "launch_error"
        if not self._pair.solution.is_alive(for_s=_DEATH_NEWS_S if could_not_start else 0.0):
            raise HostLostError("the solution host ended during the run")
        text, text_bytes = self._read(stdout)
        return Outcome(
            ending=reason or "ended",
            status=status,
            begun=begun,
            report=said,
            stdout=text,
            stderr=error_text,
            stdout_bytes=text_bytes,
            stderr_bytes=error_bytes,
            elapsed_s=elapsed,
            contended_s=contended_s,
            doubtful=doubtful,
        )

    def _read(self, fd: int) -> tuple[bytes, int]:
        size = os.fstat(fd).st_size
        return os.pread(fd, min(size, self._output_bytes), 0), size


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _read_all(fd: int) -> bytes:
    # A report is one value of the codec; what is longer was not written by the judge, but by its verifier.
    return os.pread(fd, min(os.fstat(fd).st_size, wire.MAX_FRAME_BYTES), 0)
