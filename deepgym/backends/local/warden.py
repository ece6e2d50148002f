"""Control groups for a client's hosts, kept by a small process that outlives the client however it ends.

Where the caller may write control groups, both hosts and all their children share one: their memory, page cache and
tmpfs contents included, and their number of processes are bounded together, whatever rlimits each has. It is a second
wall: a burst of answers cannot take the machine down with it.

The warden owns the group, because a client that is killed could not remove it. It is told process ids on its standard
input and ends when that closes or the client does.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys

from deepgym_solution._isolation.cgroup import CgroupLimits, CgroupPool, Leaf
from deepgym_solution._isolation.cgroup_support import detect
from deepgym_solution._isolation.view import package_folder
from deepgym_solution._procfs import descendants

# The rest is for the caller, whose trainer may need it all.
_MEMORY_SHARE = 0.8
_MAX_PROCESSES = 16_384

# Two rounds: a process may have been forked while the first one moved its parent.
_ROUNDS = 2

# To remove an empty group takes no time; whoever waits for longer waits for something else.
_CLOSE_S = 5.0

_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); from deepgym.backends.local import warden; warden.main()"
)


class Warden:
    """The client's end of it; does nothing where control groups cannot be written."""

    def __init__(self) -> None:
        support = detect()
        self.reason = support.reason
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        if support.usable:
            caller = os.pidfd_open(os.getpid())
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-s", "-S", "-P", "-B", "-c", _BOOT, package_folder(), str(caller)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=(caller,),
                    cwd="/",
                    start_new_session=True,
                )
            finally:
                os.close(caller)

    def guard(self, pid: int) -> None:
        """Put a process and all its descendants into the group."""
        if self._process is not None and self._process.stdin is not None:
            try:
                self._process.stdin.write(f"{pid}\n".encode())
                self._process.stdin.flush()
            except OSError:
                return  # it is gone: rlimits still hold

    def close(self) -> None:
        """Remove the group; its processes should have ended before."""
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        try:
            process.stdin.close()
        except OSError:
            pass  # it went first
        if os.getpid() != self._owner:
            process.returncode = 0  # another process's child: not ours to wait for
            return
        try:
            process.wait(_CLOSE_S)
        except subprocess.TimeoutExpired:  # somebody else holds a copy of the pipe
            process.kill()
            process.wait()


def main() -> None:
    """Be the warden."""
    pool = CgroupPool()
    memory = int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * _MEMORY_SHARE)
    leaf = pool.acquire(CgroupLimits(memory_bytes=memory, processes=_MAX_PROCESSES))
    poller = select.poll()
    caller = int(sys.argv[2])
    for fd in (0, caller):
        poller.register(fd, select.POLLIN)
    # The caller's end, and not only that of its pipe: a process forked from it may hold a copy of the other end.
    while all(fd != caller for fd, _ in poller.poll()):
        told = os.read(0, 4096)
        if not told:
            break
        for pid in told.split():
            if leaf is not None:
                _attach_all(leaf, int(pid))
    pool.close()


def _attach_all(leaf: Leaf, pid: int) -> None:
    for _ in range(_ROUNDS):
        for each in descendants(pid):
            leaf.attach(each)
