"""Ways to get a single-use process for a request: cloned, forked, or a box that was started before.

Cloned      in the host's own box, into namespaces of its own: the fast way, where the kernel lets it nest
Boxes       bubblewrap processes that wait, each for one request: where namespaces inside a box are refused
Forked      a plain process: where no box works at all
"""

from __future__ import annotations

import errno
import gc
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from deepgym_solution._child import kernel
from deepgym_solution._child.seal import BROKEN, Place
from deepgym_solution._isolation.policy import Policy
from deepgym_solution._procfs import children_of, end_family

MAX_REQUEST_BYTES = 64 * 1024
MAX_REQUEST_FDS = 8


class Request(NamedTuple):
    """A message and the descriptors that came with it."""

    message: bytes
    fds: tuple[int, ...]


Become = Callable[[Request, Place], None]


class Spawner(ABC):
    """One way."""

    @abstractmethod
    def spawn(self, request: Request) -> int:
        """Start a process that becomes what the request asks for, and return its pid.

        Raises:
            OSError: No process could be made.
        """

    @abstractmethod
    def kill(self, pid: int, pidfd: int) -> None:
        """End the process and all that it started."""

    def main_pid(self, pid: int) -> int:
        """The process that runs the request, where that is not the one that spawn returned."""
        return pid

    def holds_too_many_files(self, pid: int, limit: int) -> bool:
        """Its /tmp has more files than it may, where the kernel does not see to that."""
        del pid, limit
        return False

    def ended(self, pid: int) -> None:  # noqa: B027 - most ways leave nothing behind
        """The process has been reaped: clean up after it."""

    def between_turns(self) -> None:  # noqa: B027
        """Do what need not be done while a request waits."""

    @property
    def wants_turn(self) -> bool:
        """There is something to do between turns."""
        return False

    def close(self) -> None:  # noqa: B027
        """End what waits."""


class TemplateLostError(OSError):
    """The template has ended: no more children can be cloned from it."""


class Cloned(Spawner):
    """The first process of its own namespaces: killing it ends everything in them.

    Children are cloned from a **template**, a process that does nothing else, as children of the host (CLONE_PARENT).
    After each clone the kernel copies every page that the cloning process writes to; a host that cloned by itself would
    copy the pages of its whole loop for each child.
    """

    def __init__(self, become: Become, namespaces: int) -> None:
        """Fork the template.

        Args:
            become: What a child runs.
            namespaces: Which namespaces it gets of its own.
        """
        self._socket, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._template = os.fork()
        if self._template == 0:
            self._socket.close()
            _serve_clones(there, become, namespaces)
        there.close()

    def spawn(self, request: Request) -> int:
        socket.send_fds(self._socket, [request.message], request.fds)
        answer = self._socket.recv(8)
        if not answer:
            raise TemplateLostError(errno.EPIPE, "the template has ended")
        pid = int.from_bytes(answer, "little", signed=True)
        if pid < 0:
            raise OSError(-pid, f"no child can be cloned: {os.strerror(-pid)}")
        return pid

    def kill(self, pid: int, pidfd: int) -> None:
        del pid
        _kill(pidfd)

    def close(self) -> None:
        self._socket.close()
        os.waitpid(self._template, 0)


class Forked(Spawner):
    """A plain process with a folder of its own.

    It is the reaper of all that descends from it, so that even what lost its parent is found and ended with it; and
    when it has ended, its orphans come to the host, which has no other children that it does not know.
    """

    def __init__(self, become: Become) -> None:
        """Fork children that run become."""
        self._become = become
        self._folders: dict[int, str] = {}
        kernel.become_reaper()

    def spawn(self, request: Request) -> int:
        root = tempfile.mkdtemp(prefix="deepgym-")
        pid = os.fork()
        if pid == 0:
            kernel.become_reaper()
            run_request(self._become, request, Place("plain", root=root))
        self._folders[pid] = root
        return pid

    def kill(self, pid: int, pidfd: int) -> None:
        end_family(pid)
        _kill(pidfd)

    def ended(self, pid: int) -> None:
        folder = self._folders.pop(pid, "")
        while orphans := [child for child in children_of(os.getpid()) if child not in self._folders]:
            for orphan in orphans:
                os.kill(orphan, signal.SIGKILL)
                os.waitpid(orphan, 0)
        shutil.rmtree(folder, ignore_errors=True)


class Boxes(Spawner):
    """Boxes that have been started and wait for their one request."""

    def __init__(
        self,
        start: Callable[[socket.socket, int], subprocess.Popen[bytes]],
        tmp_bytes_of: Callable[[Request], int],
        spares: int,
    ) -> None:
        """Keep boxes ready.

        Args:
            start: Starts one box, given the socket on which it will wait and the size of its /tmp.
            tmp_bytes_of: The size that a request asks for. It is fixed when a box starts, so boxes are kept ready for
                the size that was asked for last.
            spares: How many to keep.
        """
        self._start = start
        self._tmp_bytes_of = tmp_bytes_of
        self._tmp_bytes = Policy().tmp_bytes
        self._spares = spares
        self._waiting: deque[tuple[subprocess.Popen[bytes], socket.socket]] = deque()
        self._used: dict[int, subprocess.Popen[bytes]] = {}

    def _new(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            return self._start(there, self._tmp_bytes), here

    def spawn(self, request: Request) -> int:
        tmp_bytes = self._tmp_bytes_of(request)
        if tmp_bytes != self._tmp_bytes:
            self.close()
            self._tmp_bytes = tmp_bytes
        while self._waiting:
            box, control = self._waiting.popleft()
            if self._hand_over(box, control, request):
                return box.pid
        box, control = self._new()
        if not self._hand_over(box, control, request):
            raise OSError(errno.EIO, "a box that was just started has ended")
        return box.pid

    def _hand_over(self, box: subprocess.Popen[bytes], control: socket.socket, request: Request) -> bool:
        """Give a box its request, which it finds when it has started; False when it is dead."""
        with control:
            try:
                socket.send_fds(control, [request.message], request.fds)
            except OSError:
                box.kill()
                box.wait()
                return False
        self._used[box.pid] = box
        return True

    def kill(self, pid: int, pidfd: int) -> None:
        inner = children_of(pid)
        for each in inner:
            try:
                os.kill(each, signal.SIGKILL)  # the first process of the box: its monitor then ends by itself
            except OSError:
                continue
        if not inner:
            _kill(pidfd)

    def main_pid(self, pid: int) -> int:
        return next(iter(children_of(pid)), pid)

    def holds_too_many_files(self, pid: int, limit: int) -> bool:
        inside = f"/proc/{self.main_pid(pid)}/root/tmp"
        try:
            if os.stat(inside).st_dev == os.stat("/tmp").st_dev:  # noqa: S108 - only looked at
                return False  # bubblewrap is still building it: this is the machine's own /tmp
            held = os.statvfs(inside)
        except OSError:
            return False  # it is ending
        return held.f_files - held.f_ffree > limit

    def ended(self, pid: int) -> None:
        box = self._used.pop(pid, None)
        if box is not None:
            box.returncode = 0  # it has been reaped by pidfd

    @property
    def wants_turn(self) -> bool:
        return len(self._waiting) < self._spares

    def between_turns(self) -> None:
        if self.wants_turn:
            self._waiting.append(self._new())

    def close(self) -> None:
        ending = list(self._waiting)
        self._waiting.clear()
        for _, control in ending:
            control.close()  # a waiting box ends when its socket closes
        for box, _ in ending:
            box.wait()


def _serve_clones(requests: socket.socket, become: Become, namespaces: int) -> NoReturn:
    """The template's loop; ends with the host."""
    kernel.die_with_parent()
    place = Place("nested", (os.getuid(), os.getgid()))
    gc.collect()
    gc.freeze()
    gc.disable()
    while True:
        message, fds, _, _ = socket.recv_fds(requests, MAX_REQUEST_BYTES, MAX_REQUEST_FDS)
        if not message:
            os._exit(0)
        try:
            pid = kernel.clone(namespaces | kernel.CLONE_PARENT)
        except OSError as exc:
            pid = -(exc.errno or errno.EAGAIN)
        if pid == 0:
            run_request(become, Request(message, tuple(fds)), place)
        for fd in fds:
            os.close(fd)
        requests.send(pid.to_bytes(8, "little", signed=True))


def run_request(become: Become, request: Request, place: Place) -> None:
    """Be the child: become what was asked for, and never come back."""
    try:
        become(request, place)
    except BaseException:  # noqa: BLE001 - a defect of ours: shown where the child's errors go, and the end
        os.write(2, traceback.format_exc().encode())
    os._exit(BROKEN)


def _kill(pidfd: int) -> None:
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    except ProcessLookupError:
        return
