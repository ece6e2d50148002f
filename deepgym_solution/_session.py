"""One loaded solution over time: its sealed process, its limits, and a fresh start after it is gone.

Every error is decided here, where the boundary is crossed. What the process says is decoded, checked and taken as its
own claim; what ended it is known from our clock and from its host.
"""

from __future__ import annotations

import functools
import os
import struct
import time
from dataclasses import dataclass
from typing import Any

from deepgym_solution import _limits
from deepgym_solution._child import kinds, wire
from deepgym_solution._forward import Forwarder
from deepgym_solution._isolation.policy import Policy
from deepgym_solution._launch import Control, Sealed, memory_file
from deepgym_solution.errors import (
    SolutionError,
    SolutionProtocolError,
    SolutionTimeoutError,
    exception_class,
)


@dataclass(frozen=True, slots=True)
class Program:
    """What is loaded: files by name, the module to import, and whether it is one of several files."""

    files: dict[str, bytes]
    entry: str
    is_package_set: bool = False


class Session:
    """Frames to and from the current process of one solution.

    Attributes:
        generation: Counts processes; a handle of an older one is dead.
    """

    def __init__(
        self, control: Control, program: Program, policy: Policy, *, case_timeout_s: float, seed: int
    ) -> None:
        self._control = control
        self._program = program
        self._policy = policy
        self._seed = seed
        self._sealed: Sealed | None = None
        self._forwarder: Forwarder | None = None
        self._dead_for_good: str | None = None
        self._output = memory_file("solution-output")
        self._ids: list[int] = []
        self.case_timeout_s = case_timeout_s
        self.generation = 0

    def start(self) -> None:
        """Load the solution in a new process.

        Raises:
            LaunchError: The machine could not start it.
            SolutionError: It could not be loaded: what its first lines raised, or a time-out.
        """
        sealed = self._control.start("load", self._policy, self._seed, (self._output, self._output))
        self._forwarder = Forwarder(sealed, self._policy.loopback_port)
        self.generation += 1
        init = (self._program.files, self._program.entry, self._program.is_package_set)
        call_id = self._new_id()
        sealed.await_begun(wire.encode_frame(kinds.INIT, call_id, wire.encode_value(init)))
        self._sealed = sealed
        sealed.forward_listener()
        frame = self._await_reply(sealed, call_id, self.case_timeout_s, "load the solution")
        if frame.kind == kinds.RAISED:
            self.end()
            raise raised_error(decoded(frame))
        if frame.kind != kinds.READY:
            raise self._broken(f"a frame of kind {frame.kind} where it should say that it is loaded")

    def ask(self, kind: int, request: tuple[Any, ...], timeout_s: float | None, what: str) -> wire.Frame:
        """Send one request and wait for its reply.

        Raises:
            SolutionError: It hung, died or answered with something that is no reply.
            LaunchError: A fresh process was needed and the machine could not start it.
            TypeError: An argument is not plain data.
        """
        call_id = self._new_id()
        try:
            payload = _encode_call(*request) if kind == kinds.CALL else wire.encode_value(request)
            data = wire.encode_frame(kind, call_id, payload)
        except wire.EncodeError as exc:
            raise TypeError(f"{what}: only plain data can be sent to a solution: {exc}") from None
        if self._dead_for_good is not None:
            raise SolutionProtocolError(self._dead_for_good)
        if self._sealed is None:
            self.start()
        sealed = self._sealed
        assert sealed is not None
        limit = self.case_timeout_s if timeout_s is None else timeout_s
        try:
            sealed.send(data, time.monotonic() + limit)
        except TimeoutError:
            self.end()
            raise _timeout(what, limit) from None
        except OSError:
            raise self._died(sealed, what) from None
        # A chunk of many calls has one clock; when that runs out, each call gets its own.
        return self._await_reply(sealed, call_id, limit, what, is_final=kind != kinds.CALLS)

    def _new_id(self) -> int:
        """An id that cannot be guessed: a reply that was written before its call was made is found out."""
        if not self._ids:
            self._ids = list(struct.unpack("<64I", os.urandom(256)))
        return self._ids.pop()

    def tell(self, kind: int, request: tuple[object, ...]) -> None:
        """Send what needs no reply; a process that is gone need not hear it."""
        if self._sealed is not None:
            try:
                self._sealed.send(
                    wire.encode_frame(kind, 0, wire.encode_value(request)), time.monotonic() + 1
                )
            except OSError:
                return

    def _await_reply(
        self, sealed: Sealed, call_id: int, limit_s: float, what: str, *, is_final: bool = True
    ) -> wire.Frame:
        try:
            frame = _receive_patiently(sealed, limit_s, is_final=is_final)
        except TimeoutError:
            self.end()
            raise _timeout(what, limit_s) from None
        except EOFError:
            raise self._died(sealed, what) from None
        except SolutionProtocolError as exc:
            raise self._broken(str(exc)) from None
        if frame.call_id != call_id:
            raise self._broken("its process sent a reply that no call was waiting for")
        return frame

    def _died(self, sealed: Sealed, what: str) -> SolutionError:
        ended = sealed.ended(wait_s=2.0)
        self.end()
        how = str(ended) if ended else "closed its channel"
        return SolutionError(f"{what}: the solution's process {how}")

    def _broken(self, message: str) -> SolutionProtocolError:
        self.end()
        self._dead_for_good = message
        return SolutionProtocolError(message)

    def protocol_error(self, message: str) -> SolutionProtocolError:
        """Judge the solution to have broken the protocol: it is dead from here on."""
        return self._broken(message)

    def end(self) -> None:
        """Kill the current process, if any, and wait until nothing of it is left."""
        if self._sealed is not None:
            self._sealed.kill()
            self._sealed.close()
            self._sealed = None
        if self._forwarder is not None:
            self._forwarder.close()
            self._forwarder = None

    @property
    def is_running(self) -> bool:
        """There is a process now."""
        return self._sealed is not None

    def close(self) -> None:
        """End for good and give the descriptors back; what it printed stays readable until then."""
        self.end()
        if self._output >= 0:
            os.close(self._output)
            self._output = -1

    def printed(self, limit_bytes: int) -> bytes:
        """What all its processes have printed so far, cut to a head and a tail when longer than the limit."""
        if self._output < 0:
            return b""
        size = os.fstat(self._output).st_size
        if size <= limit_bytes:
            return os.pread(self._output, limit_bytes, 0)
        tail = min(_limits.SHOWN_OUTPUT_TAIL_BYTES, limit_bytes // 4)
        head = os.pread(self._output, limit_bytes - tail, 0)
        note = f"\n... [{size - limit_bytes} bytes cut] ...\n".encode()
        return head + note + os.pread(self._output, tail, size - tail)

    def check_output_limit(self) -> None:
        """Stop a solution that printed more than it may.

        Raises:
            SolutionError: It did.
        """
        if os.fstat(self._output).st_size > self._policy.output_bytes:
            self._broken(f"printed more than the {self._policy.output_bytes} bytes it may")
            raise SolutionError(
                f"the solution printed more than the {self._policy.output_bytes} bytes it may"
            )


def _encode_call(
    target: int | None, name: str, args: tuple[object, ...], kwargs: dict[str, object], returns: str
) -> bytes:
    callee = _encode_callee(target, name, returns)
    arguments = wire.encode_value((args, kwargs) if kwargs else args)
    return kinds.CALL_HEAD.pack(len(callee), bool(kwargs)) + callee + arguments


@functools.lru_cache(maxsize=256)
def _encode_callee(target: int | None, name: str, returns: str) -> bytes:
    return wire.encode_value((target, name, returns))


def _receive_patiently(sealed: Sealed, limit_s: float, *, is_final: bool) -> wire.Frame:
    patience = sealed.patience(limit_s)
    while True:
        try:
            frame = sealed.receive(patience.deadline)
        except TimeoutError:
            if patience.extend():
                continue
            if patience.doubtful and is_final:
                sealed.on_doubt()
            raise
        patience.end()
        return frame


def _timeout(what: str, limit_s: float) -> SolutionTimeoutError:
    return SolutionTimeoutError(f"{what}: no answer within {limit_s:g} s", limit_s=limit_s)


def decoded(frame: wire.Frame) -> object:
    """A reply's value.

    Raises:
        SolutionProtocolError: The bytes are no value.
    """
    try:
        return wire.decode_value(frame.payload)
    except wire.WireError as exc:
        raise SolutionProtocolError(f"the solution's process sent bytes that are no value: {exc}") from None


def raised_error(claim: object) -> SolutionError:
    """The exception that a RAISED frame claims, as one of ours that is also the nearest builtin."""
    if type(claim) is not tuple or len(claim) != 4:
        return SolutionProtocolError("the solution's process described an exception in no known form")
    names, type_name, message, trace = claim
    if type(names) is not list or any(type(text) is not str for text in (*names, type_name, message, trace)):
        return SolutionProtocolError("the solution's process described an exception in no known form")
    own_name = _cut(type_name, 200)
    text = _cut(message, _limits.MAX_ERROR_CHARS)
    kind = exception_class(names[:32])
    if not names or names[0] != own_name or not issubclass(kind, Exception) or kind is SolutionError:
        text = f"{own_name}: {text}" if text else own_name
    error = kind(text)
    error.solution_traceback = _cut(trace, _limits.MAX_TRACEBACK_CHARS)
    return error


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "... [cut]"
