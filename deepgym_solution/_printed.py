"""What the solutions of one run print: kept in a file in memory, bounded, and shown to people.

A solution writes straight into the file, so that nothing has to read along. Where it may print more than the largest
file it may write, that is not possible, for both are one limit to the kernel: then it writes into a pipe, and a thread
of the judge carries over what fits.
"""

from __future__ import annotations

import fcntl
import os
import threading

from deepgym_solution import _limits
from deepgym_solution._isolation.policy import Policy

_PIECE_BYTES = 1 << 16


class Printed:
    """The output of all solutions of one run."""

    def __init__(self) -> None:
        self._fd = -1
        self._piped_bytes = 0

    def open(self, policy: Policy) -> int:
        """A new descriptor for a solution's stdout and stderr; the caller closes it when it has been handed over."""
        if self._fd < 0:
            self._fd = memory_file("solution-output")
        if policy.file_bytes >= policy.output_bytes:
            return os.dup(self._fd)
        read_end, write_end = os.pipe2(os.O_CLOEXEC)
        threading.Thread(
            target=self._carry, args=(read_end, policy.output_bytes), name="solution-output", daemon=True
        ).start()
        return write_end

    def _carry(self, pipe: int, limit_bytes: int) -> None:
        with open(pipe, "rb", buffering=0) as source:
            while data := source.read(_PIECE_BYTES):
                room = limit_bytes - self._piped_bytes
                self._piped_bytes += len(data)
                if room > 0:
                    os.write(self._fd, data[:room])

    def exceeds(self, policy: Policy) -> bool:
        """More has been printed than the policy allows."""
        if self._piped_bytes > policy.output_bytes:
            return True
        return self._fd >= 0 and os.fstat(self._fd).st_size > policy.output_bytes

    def shown(self, limit_bytes: int) -> bytes:
        """All of it, cut to a head and a tail when it is longer than the limit."""
        if self._fd < 0:
            return b""
        size = os.fstat(self._fd).st_size
        if size <= limit_bytes:
            return os.pread(self._fd, limit_bytes, 0)
        tail = min(_limits.SHOWN_OUTPUT_TAIL_BYTES, limit_bytes // 4)
        head = os.pread(self._fd, limit_bytes - tail, 0)
        note = f"\n... [{size - limit_bytes} bytes cut] ...\n".encode()
        return head + note + os.pread(self._fd, tail, size - tail)


def memory_file(name: str) -> int:
    """A descriptor of a file in memory that all writers append to."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC)
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_APPEND)
    return fd
