"""A host: one single-threaded process that forks single-use children, and ends them.

Theory of operation. A client starts a host inside bubblewrap (see `_process.py`) and keeps one end of a
SOCK_SEQPACKET pair, the control socket. A request is one message with descriptors attached:

    (kind, policy, seed)        channel, lifeline, stdout, stderr [, stdin]

The host clones a child into six new namespaces, hands it the channel and the output descriptors, keeps the lifeline
and forgets the rest. The child finishes its own sealing (`_child/seal.py`) and becomes the solution. On the lifeline,
a SOCK_SEQPACKET pair whose other end the judge holds,

    judge closes or shuts down, or dies     the child's pid namespace is killed
    judge sends b"times"                    the host answers with how long its threads ran and waited, and when
    the child has ended and is reaped       the host sends ("ended", status, reason), then closes

The host reads nothing that a solution wrote and nothing that is secret: what a child could read of its memory, which
every child has a copy of, is this code and the numbers of other requests. It ends, and all children with it, when the
control socket closes or the process that started it (a pidfd, which survives descriptors that leaked into a fork) dies.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from deepgym_solution._child import entry, kernel, wire
from deepgym_solution._isolation.policy import Policy
from deepgym_solution._procfs import process_times, uses_more_than
from deepgym_solution._spawn import (
    MAX_REQUEST_BYTES,
    MAX_REQUEST_FDS,
    Request,
    Spawner,
    TemplateLostError,
)

# How often resident memory of children is added up. Rarer, and a burst could exhaust a small machine; more often, and
# a long batch pays for it.
WATCH_PERIOD_S = 0.05
# A child with hundreds of processes takes long to look at. For this many times as long nobody is looked at again, so
# that its neighbours' requests do not wait for it.
WATCH_REST = 9.0


@dataclass
class Child:
    """One forked process, as its host keeps it."""

    pid: int
    pidfd: int
    lifeline: int
    policy: Policy
    begun_at: float = field(default_factory=time.monotonic)
    reason: str | None = None


class Host:
    """The loop that all hosts share: requests in, children out, nobody left behind."""

    def __init__(self, control_fd: int, caller_pidfd: int | None, spawner: Spawner) -> None:
        self._control = socket.socket(fileno=control_fd)
        self._epoll = select.epoll()
        self._actions: dict[int, Callable[[], None]] = {}
        self._children: dict[int, Child] = {}
        self._to_close: list[int] = []
        self._spawner = spawner
        self._closing = False
        self.watch(control_fd, self._take_request)
        if caller_pidfd is not None:
            self.watch(caller_pidfd, self._close)

    def watch(self, fd: int, action: Callable[[], None]) -> None:
        """Run action whenever fd can be read or has hung up."""
        self._actions[fd] = action
        self._epoll.register(fd, select.EPOLLIN | select.EPOLLRDHUP)

    def unwatch(self, fd: int) -> None:
        """Stop watching fd and close it.

        It is closed when all events of this turn have been handled: until then its number must not come to mean
        something else, for an event may still name it.
        """
        if self._actions.pop(fd, None) is not None:
            self._epoll.unregister(fd)
        self._to_close.append(fd)

    def serve(self) -> None:
        """Answer requests until the client is gone, then end every child."""
        next_watch = 0.0
        while not self._closing:
            for fd, _ in self._epoll.poll(self._poll_timeout()):
                action = self._actions.get(fd)
                if action is not None:
                    action()
            while self._to_close:
                os.close(self._to_close.pop())
            if self._children and time.monotonic() >= next_watch:
                begun = time.monotonic()
                self._watch_use()
                ended = time.monotonic()
                next_watch = ended + max(WATCH_PERIOD_S, (ended - begun) * WATCH_REST)
            self.on_time()
            self._spawner.between_turns()
        for child in self._children.values():
            self.kill(child)
        for child in self._children.values():
            os.waitid(os.P_PIDFD, child.pidfd, os.WEXITED)
            self._spawner.ended(child.pid)
        self._spawner.close()

    def _poll_timeout(self) -> float:
        if self._spawner.wants_turn:
            return 0
        if not self._children:
            return -1
        deadline = self.next_deadline()
        if deadline is None:
            return WATCH_PERIOD_S
        return min(WATCH_PERIOD_S, max(deadline - time.monotonic(), 0))

    def next_deadline(self) -> float | None:
        """When `on_time` wants to run next, on the monotonic clock."""
        return None

    def on_time(self) -> None:
        """Do what is due now."""

    def children(self) -> list[Child]:
        """The children that have not been reaped."""
        return list(self._children.values())

    def _close(self) -> None:
        self._closing = True

    def _take_request(self) -> None:
        try:
            message, fds, flags, _ = socket.recv_fds(self._control, MAX_REQUEST_BYTES, MAX_REQUEST_FDS)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self._close()
            return
        if not message:
            self._close()
            return
        try:
            if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
                raise ValueError("the request was cut")  # noqa: TRY301 - one place answers every bad request
            self.handle(message, fds)
        except (ValueError, OSError, wire.WireError) as exc:
            self.refuse(fds, exc)
        finally:
            for fd in fds:
                if fd not in self._actions:
                    os.close(fd)

    def handle(self, message: bytes, fds: list[int]) -> None:
        """Serve one request; descriptors that are not watched afterwards are closed."""
        raise NotImplementedError

    def refuse(self, fds: list[int], exc: Exception) -> None:
        """Tell the requester why no child was started."""
        if len(fds) > 1:
            send(fds[1], wire.encode_value(("refused", str(exc)[:500])))

    def start(
        self,
        request: Request,
        lifeline: int,
        policy: Policy,
        *,
        kind: type[Child] = Child,
    ) -> Child:
        """Start a child that becomes what the request asks for, and never comes back.

        Raises:
            OSError: No process could be made.
        """
        try:
            pid = self._spawner.spawn(request)
        except TemplateLostError:
            self._close()  # the client starts a new host
            raise
        try:
            child = kind(pid, os.pidfd_open(pid), lifeline, policy)
        except OSError:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            self._spawner.ended(pid)
            raise
        self._children[pid] = child
        self.watch(child.pidfd, lambda: self._reap(child))
        self.watch(lifeline, lambda: self.on_lifeline(child))
        return child

    def on_lifeline(self, child: Child) -> None:
        """The judge asked something, let go, or died."""
        try:
            asked = os.read(child.lifeline, 64)
        except OSError:
            asked = b""
        if asked == b"times":
            ran_s, waited_s = self.times(child)
            send(child.lifeline, wire.encode_value(("times", ran_s, waited_s, time.monotonic())))
            return
        self._actions.pop(child.lifeline, None)
        self._epoll.unregister(child.lifeline)
        self.kill(child)

    def kill(self, child: Child) -> None:
        """End the child and all that it started."""
        self._spawner.kill(child.pid, child.pidfd)

    def times(self, child: Child) -> tuple[float, float]:
        """Seconds that the threads of the child and of all that it started ran, and waited for a core."""
        return process_times(self._spawner.main_pid(child.pid))

    def _reap(self, child: Child) -> None:
        done = os.waitid(os.P_PIDFD, child.pidfd, os.WEXITED | os.WNOHANG)
        if done is None:
            return
        status = done.si_status if done.si_code == os.CLD_EXITED else -done.si_status
        self._spawner.ended(child.pid)
        self.on_ended(child, status)
        del self._children[child.pid]
        self.unwatch(child.pidfd)
        self.unwatch(child.lifeline)

    def on_ended(self, child: Child, status: int) -> None:
        """The child has been reaped: tell its judge."""
        send(child.lifeline, wire.encode_value(("ended", status, child.reason or "")))

    def _watch_use(self) -> None:
        """End children that use more than they may, with all that they started taken together."""
        for child in list(self._children.values()):
            if time.monotonic() - child.begun_at < WATCH_PERIOD_S or child.reason is not None:
                continue
            if uses_more_than(child.pid, child.policy.memory_bytes):
                child.reason = "memory"
            elif process_times(child.pid)[0] > child.policy.cpu_s:
                child.reason = "cpu"
            elif self._spawner.holds_too_many_files(child.pid, child.policy.tmp_inodes):
                child.reason = "files"
            else:
                continue
            self.kill(child)


def send(fd: int, message: bytes) -> None:
    """Write one message to whoever still listens."""
    try:
        os.write(fd, message)
    except OSError:
        pass  # the judge is gone: it needs no answer


class SolutionHost(Host):
    """The host whose children become solutions."""

    def handle(self, message: bytes, fds: list[int]) -> None:
        entry.check_request(message, fds)
        policy = entry.policy_of(message)
        self.start(Request(message, tuple(fds)), fds[1], policy)


def wake_up_from_template() -> None:
    """Undo in a child what the template did for the sake of forking.

    What the template holds stays frozen: a collection that looked at it would copy every page.
    """
    gc.enable()


def prepare_process(drop_to: tuple[int, int] | None, *, fresh_proc: bool) -> None:
    """Become the unprivileged process that hosts are, inside the box that was just built.

    Args:
        drop_to: For a root caller: the user and group to change to.
        fresh_proc: Mount this pid namespace's own /proc first. bubblewrap run by root covers parts of it, and the
            kernel then refuses children a /proc of their own.

    Raises:
        OSError: A step was refused: this machine cannot host this way.
    """
    if fresh_proc:
        kernel.mount("proc", "/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    if drop_to is not None:
        kernel.become(*drop_to)
        kernel.set_dumpable(True)  # else the children's uid_map could not be written
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C is the client's to handle; it closes the control socket
