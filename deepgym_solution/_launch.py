"""The judge's side of starting a sealed process: one request to a host, and the evidence of how far it came.

A `Sealed` owns two descriptors: the channel (frames) and the lifeline (closing it kills the process and all that it
started). It never decides whose fault an ending is beyond the one
question it has evidence for: had the solution's first line been reached (`begun`)?
"""

from __future__ import annotations

import _socket
import select
import socket
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from deepgym_solution import _limits
from deepgym_solution._child import kinds, wire
from deepgym_solution._isolation.policy import Policy
from deepgym_solution._patience import Account, Patience, Times
from deepgym_solution.errors import LaunchError, SolutionProtocolError

# Why a host ended a process of its own accord.
_REASONS = {
    "memory": "used more memory than it may",
    "cpu": "used more processor time than it may",
    "files": "made more files than it may",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a sealed process ended, as its host reaped it."""

    status: int
    reason: str

    def __str__(self) -> str:
        if self.reason in _REASONS:
            return _REASONS[self.reason]
        if self.reason:
            return self.reason
        if self.status < 0:
            return f"was killed by signal {-self.status}"
        return f"ended with exit status {self.status}"


# A program below this size fits in any limits that are of use. One above it that does not fit is itself to blame;
# one below it has met a machine, or an environment, that can start nothing.
LARGE_PROGRAM_BYTES = 1024 * 1024
LARGE_PROGRAM_FILES = 1_000


class DoesNotFitError(LaunchError):
    """What was sent did not fit in the limits of the process that was to take it; none of it ran."""


class Control:
    """The socket to a solution host; one for a whole judge."""

    def __init__(
        self,
        sock: socket.socket,
        *,
        on_begun: Callable[[], None] = lambda: None,
        on_times: Callable[[float, float], None] = lambda *_: None,
        on_doubt: Callable[[], None] = lambda: None,
    ) -> None:
        """Speak to a host.

        Args:
            sock: The client's end of its control socket.
            on_begun: Called when solution code is about to run.
            on_times: Called with the seconds that a solution lost to others, and the seconds that it ran, since the
                last call.
            on_doubt: Called when a case was called a time-out that might not be one on a free machine.
        """
        self._sock = sock
        self._on_begun = on_begun
        self._on_times = on_times
        self._on_doubt = on_doubt

    def start(self, kind: str, policy: Policy, seed: int, outputs: tuple[int, ...]) -> Sealed:
        """Ask the host for a sealed process.

        Args:
            kind: "load" or "run".
            policy: What it may use.
            seed: What its `random` starts from.
            outputs: Descriptors for its stdout and stderr, and stdin for a program.

        Raises:
            LaunchError: The host is gone or refuses.
        """
        try:
            channel, channel_there = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        except OSError as exc:
            raise LaunchError(f"the judge cannot start a solution: {exc}") from exc
        try:
            lifeline, lifeline_there = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        except OSError as exc:
            channel.close()
            channel_there.close()
            raise LaunchError(f"the judge cannot start a solution: {exc}") from exc
        try:
            message = wire.encode_value((kind, policy.as_tuple(), seed))
            fds = [channel_there.fileno(), lifeline_there.fileno(), *outputs]
            rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack(f"{len(fds)}i", *fds))
            self._sock.sendmsg([message], [rights])
        except OSError as exc:
            channel.close()
            lifeline.close()
            raise LaunchError(f"the solution's host cannot be reached: {exc}") from exc
        finally:
            channel_there.close()
            lifeline_there.close()
        return Sealed(channel, lifeline, self._on_begun, self._on_times, self._on_doubt)


class Sealed:
    """One sealed process."""

    def __init__(
        self,
        channel: _socket.socket,
        lifeline: _socket.socket,
        on_begun: Callable[[], None],
        on_times: Callable[[float, float], None],
        on_doubt: Callable[[], None],
    ) -> None:
        self.channel = channel
        self._lifeline = lifeline
        self._on_begun = on_begun
        self._account = Account(self._times, on_times)
        self.on_doubt = on_doubt
        self._reader = wire.FrameReader()
        self._ended: Ended | None = None
        self._wait_limits: dict[int, float] = {}
        self._host_is_gone = False
        self.on_listener: Callable[[socket.socket], None] | None = None
        self.begun = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def await_begun(self, first: bytes) -> None:
        """Send the first frame and wait until trusted code says that the solution's first line comes next.

        Raises:
            LaunchError: It could not be started, and none of its code ran.
        """
        deadline = time.monotonic() + _limits.START_TIMEOUT_S
        try:
            frame = self._first_reply(first, deadline)
        except TimeoutError:
            self.close()
            raise LaunchError(f"the solution did not start within {_limits.START_TIMEOUT_S:g} s") from None
        except (OSError, EOFError, SolutionProtocolError):
            frame = None
        if frame is not None and frame.kind == kinds.BEGUN:
            self.begun = True
            self._on_begun()
            return
        error = self._launch_failure(frame)
        self.close()
        raise error

    def _first_reply(self, first: bytes, deadline: float) -> wire.Frame:
        try:
            self.send(first, deadline)
        except ConnectionError:
            pass  # it has ended already; perhaps it said why
        return self.receive(deadline)

    def _launch_failure(self, frame: wire.Frame | None) -> LaunchError:
        kind, ended = LaunchError, None
        if frame is None:
            ended = self.ended(wait_s=2.0)
            reason = f"its process {ended}" if ended else "its host went away"
        else:
            reason = str(wire.decode_value(frame.payload))
        if (frame is not None and frame.kind == kinds.TOO_LARGE) or (ended and ended.reason == "memory"):
            kind = DoesNotFitError
        return kind(f"the solution could not be started: {reason}")

    def send(self, data: bytes, deadline: float) -> None:
        """Send bytes on the channel.

        Raises:
            TimeoutError: The deadline passed first.
            OSError: The process is gone.
        """
        self._limit_wait(_socket.SO_SNDTIMEO, deadline - time.monotonic())
        try:
            self.channel.sendall(data)
        except BlockingIOError:
            raise TimeoutError from None

    def receive(self, deadline: float) -> wire.Frame:
        """The next frame.

        Raises:
            TimeoutError: The deadline passed first.
            EOFError: The channel closed.
            SolutionProtocolError: What came is no frame.
        """
        reader = self._reader
        late = False
        try:
            frame = reader.next_frame()
            while frame is None:
                data = self._receive_bytes(deadline, may_be_late=not late)
                late = time.monotonic() > deadline
                if not data:
                    reader.eof()
                    raise EOFError
                reader.feed(data)
                frame = reader.next_frame()
        except wire.WireError as exc:
            raise SolutionProtocolError(
                f"the solution's process sent bytes that are no reply: {exc}"
            ) from exc
        return frame

    def _receive_bytes(self, deadline: float, *, may_be_late: bool) -> bytes:
        """What comes next; once after the deadline what is already there, for we may be what was late.

        Raises:
            TimeoutError: The deadline passed.
        """
        left = deadline - time.monotonic()
        if left <= 0 and not may_be_late:
            raise TimeoutError
        try:
            if left <= 0:
                return self.channel.recv(65_536, _socket.MSG_DONTWAIT)
            self._limit_wait(_socket.SO_RCVTIMEO, left)
            return self.channel.recv(65_536)
        except BlockingIOError:
            raise TimeoutError from None
        except ConnectionError:
            return b""

    def _limit_wait(self, option: int, seconds: float) -> None:
        """Have the kernel end a blocking call after so long.

        One option of the socket instead of a poll before each call: calls to one solution mostly have the same limit,
        and then nothing is to be done.
        """
        set_to = self._wait_limits.get(option, 0.0)
        if not seconds <= set_to <= seconds * 1.02:
            set_to = max(seconds * 1.01, 0.001)
            whole = int(set_to)
            timeval = struct.pack("@ll", whole, int((set_to - whole) * 1e6))
            self.channel.setsockopt(_socket.SOL_SOCKET, option, timeval)
            self._wait_limits[option] = set_to

    def _times(self) -> Times | None:
        """What its threads have run and waited so far; None when it has ended or its host does not get to answer."""
        try:
            self._lifeline.send(b"times")
        except OSError:
            return None
        deadline = time.monotonic() + 1.0
        while True:
            message = self._lifeline_message(max(0.0, deadline - time.monotonic()))
            if message is None or message[0] in ("ended", "refused"):
                return None
            if message[0] == "times":
                return Times(*message[1:])

    def ended(self, wait_s: float) -> Ended | None:
        """How it ended, waiting at most so long for the news; None when it runs on.

        Raises:
            LaunchError: Its host is gone, and took it along: nothing that it did.
        """
        deadline = time.monotonic() + wait_s
        while self._ended is None and not self._host_is_gone:
            left = deadline - time.monotonic()
            if left <= 0 or (self._lifeline_message(left) is None and not self._host_is_gone):
                break
        if self._host_is_gone:
            raise LaunchError("the solution's host ended during the run")
        return self._ended

    def _lifeline_message(self, wait_s: float) -> tuple[Any, ...] | None:
        poller = select.poll()
        poller.register(self._lifeline.fileno(), select.POLLIN)
        if not poller.poll(wait_s * 1000):
            return None
        try:
            data, ancillary, _, _ = self._lifeline.recvmsg(4096, _socket.CMSG_LEN(4))
        except OSError:
            data, ancillary = b"", []
        if ancillary:
            listener = socket.socket(fileno=int.from_bytes(ancillary[0][2][:4], sys.byteorder))
            if self.on_listener is not None:
                self.on_listener(listener)
            else:
                listener.close()
            return ("listener",)
        if not data:
            # Of every process that it reaps the host tells first; only its own end closes this without a word.
            self._host_is_gone = self._ended is None
            return None
        message = wire.decode_value(data)  # the host is trusted
        assert type(message) is tuple
        if message[0] == "ended":
            self._ended = Ended(message[1], message[2])
        elif message[0] == "refused":
            self._ended = Ended(0, f"was not started: {message[1]}")
        return message

    def forward_listener(self) -> None:
        """Take the listening socket that the box sent before it began, if a port was asked for."""
        if self.on_listener is not None:
            self._lifeline_message(_limits.START_TIMEOUT_S)

    def patience(self, limit_s: float) -> Patience:
        """A clock for one wait of at most limit_s of the process's own time, begun now."""
        return Patience(self._account, limit_s)

    def kill(self) -> Ended | None:
        """End the process and all that it started, and wait until nothing of it is left."""
        if self._ended is None:
            try:
                self._lifeline.shutdown(socket.SHUT_WR)
            except OSError:
                return self._ended
            self.ended(wait_s=_limits.KILL_TIMEOUT_S)
        return self._ended

    def close(self) -> None:
        """Kill it without waiting for the end."""
        self.channel.close()
        self._lifeline.close()
