"""One loaded solution over time: its sealed process, its limits, and a fresh start after it is gone.

Every error is decided here, where the boundary is crossed. What the process says is decoded, checked and taken as its
own claim; what ended it is known from our clock and from its host.
"""

from __future__ import annotations

import functools
import os
import struct
import threading
import time
from dataclasses import dataclass
from typing import Any

from deepgym_solution import _limits
from deepgym_solution._child import kinds, wire
from deepgym_solution._forward import Forwarder
from deepgym_solution._isolation.policy import Policy
from deepgym_solution._launch import (
    LARGE_PROGRAM_BYTES,
    LARGE_PROGRAM_FILES,
    Control,
    DoesNotFitError,
    Sealed,
)
from deepgym_solution._printed import Printed
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

    Threads of a verifier may share it: one call is under way at a time.

    Attributes:
        generation: Counts processes; a handle of an older one is dead.
    """

    def __init__(
        self,
        control: Control,
        program: Program,
        policy: Policy,
        printed: Printed,
        *,
        case_timeout_s: float,
        seed: int,
    ) -> None:
        self._control = control
        self._program = program
        self._policy = policy
        self._printed = printed
        self._seed = seed
        self._sealed: Sealed | None = None
        self._forwarder: Forwarder | None = None
        self._dead_for_good: tuple[type[SolutionError], str] | None = None
        self._lock = threading.RLock()
        self._pid = os.getpid()
        # Handles that were forgotten. Their end may come in the middle of a call (the garbage collector decides), so
        # it is told with the next one.
        self._dropped: list[int] = []
        self._ids: list[int] = []
        self.case_timeout_s = case_timeout_s
        self.generation = 0

    def start(self) -> None:
        """Load the solution in a new process.

        Raises:
            LaunchError: The machine could not start it.
            SolutionError: It could not be loaded: what its first lines raised, or a time-out.
        """
        call_id = self._new_id()
        init = self._init_frame(call_id)
        output = self._printed.open(self._policy)
        try:
            sealed = self._control.start("load", self._policy, self._seed, (output, output))
        finally:
            os.close(output)
        self._forwarder = Forwarder(sealed, self._policy.loopback_port)
        self.generation += 1
        self._dropped.clear()
        try:
            sealed.await_begun(init)
        except DoesNotFitError as exc:
            if len(init) < LARGE_PROGRAM_BYTES and len(self._program.files) < LARGE_PROGRAM_FILES:
                raise
            raise SolutionError(
                f"the solution, {len(init):,} bytes, does not fit in its limits: {exc}"
            ) from None
        self._sealed = sealed
        sealed.forward_listener()
        frame = self._await_reply(sealed, call_id, self.case_timeout_s, "load the solution")
        if frame.kind == kinds.RAISED:
            error = self.raised(self.value_of(frame))
            self.end()
            raise error
        if frame.kind != kinds.READY:
            raise self.protocol_error(f"a frame of kind {frame.kind} where it should say that it is loaded")

    def _init_frame(self, call_id: int) -> bytes:
        program = self._program
        try:
            init = wire.encode_value((program.files, program.entry, program.is_package_set))
            return wire.encode_frame(kinds.INIT, call_id, init)
        except wire.EncodeError as exc:
            raise SolutionError(f"the solution is too large to be loaded: {exc}") from None

    def ask(self, kind: int, request: tuple[Any, ...], timeout_s: float | None, what: str) -> wire.Frame:
        """Send one request and wait for its reply.

        Raises:
            SolutionError: It hung, died or answered with something that is no reply.
            LaunchError: A fresh process was needed and the machine could not start it.
            TypeError: An argument is not plain data.
            RuntimeError: This process is a fork of the one that loaded the solution.
        """
        if os.getpid() != self._pid:
            raise RuntimeError("this solution was loaded in another process: load it in this one")
        with self._lock:
            call_id = self._new_id()
            try:
                payload = _encode_call(*request) if kind == kinds.CALL else wire.encode_value(request)
                data = wire.encode_frame(kind, call_id, payload)
            except wire.EncodeError as exc:
                raise TypeError(f"{what}: only plain data can be sent to a solution: {exc}") from None
            # A chunk of many calls has one clock; when that runs out, each call gets its own.
            return self._ask(data, call_id, timeout_s, what, is_final=kind != kinds.CALLS)

    def _ask(
        self, data: bytes, call_id: int, timeout_s: float | None, what: str, *, is_final: bool
    ) -> wire.Frame:
        self._refuse_if_dead()
        if self._sealed is None:
            self.start()
        sealed = self._sealed
        assert sealed is not None
        limit = self.case_timeout_s if timeout_s is None else timeout_s
        if self._dropped:
            data = self._drop_frames() + data
        try:
            sealed.send(data, time.monotonic() + limit)
        except TimeoutError:
            self.end()
            raise _timeout(what, limit) from None
        except OSError:
            raise self._died(sealed, what) from None
        return self._await_reply(sealed, call_id, limit, what, is_final=is_final)

    def _new_id(self) -> int:
        """An id that cannot be guessed: a reply that was written before its call was made is found out."""
        if not self._ids:
            self._ids = list(struct.unpack("<64I", os.urandom(256)))
        return self._ids.pop()

    def drop(self, generation: int, number: int) -> None:
        """Forget an object of the solution, at the next call."""
        if generation == self.generation:
            self._dropped.append(number)

    def _drop_frames(self) -> bytes:
        numbers, self._dropped = self._dropped, []
        return wire.encode_frame(kinds.DROP, 0, wire.encode_value(tuple(numbers)))

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
            raise self.protocol_error(str(exc)) from None
        if frame.call_id != call_id:
            raise self.protocol_error("its process sent a reply that no call was waiting for")
        if self._printed.exceeds(self._policy):
            limit = self._policy.output_bytes
            raise self._dies_for_good(
                SolutionError(f"the solution printed more than the {limit:,} bytes it may")
            )
        return frame

    def _died(self, sealed: Sealed, what: str) -> SolutionError:
        ended = sealed.ended(wait_s=2.0)
        self.end()
        how = str(ended) if ended else "closed its channel"
        return SolutionError(f"{what}: the solution's process {how}")

    def protocol_error(self, message: str) -> SolutionError:
        """Judge the solution to have broken the protocol: it is dead from here on."""
        return self._dies_for_good(SolutionProtocolError(message))

    def _dies_for_good(self, error: SolutionError) -> SolutionError:
        self.end()
        self._dead_for_good = (type(error), str(error))
        return error

    def _refuse_if_dead(self) -> None:
        if self._dead_for_good is not None:
            kind, message = self._dead_for_good
            raise kind(message)

    def value_of(self, frame: wire.Frame) -> object:
        """A reply's value.

        Raises:
            SolutionProtocolError: The bytes are no value; the solution is dead from here on.
        """
        try:
            return wire.decode_value(frame.payload)
        except wire.WireError as exc:
            raise self.protocol_error(f"the solution's process sent bytes that are no value: {exc}") from None

    def raised(self, claim: object) -> SolutionError:
        """What the solution says that it raised; the end of a solution that says it in no known form."""
        error = _raised_error(claim)
        return error or self.protocol_error("its process described an exception in no known form")

    def end(self) -> None:
        """Kill the current process, if any, and wait until nothing of it is left."""
        with self._lock:
            sealed, self._sealed = self._sealed, None
            forwarder, self._forwarder = self._forwarder, None
            if sealed is not None:
                sealed.kill()
                sealed.close()
            if forwarder is not None:
                forwarder.close()

    @property
    def is_running(self) -> bool:
        """There is a process now."""
        return self._sealed is not None

    def __del__(self) -> None:
        # Nobody can call the solution any more: its host ends it as soon as the lifeline is closed.
        sealed = self.__dict__.get("_sealed")
        if sealed is not None and self._pid == os.getpid():
            sealed.close()
            if self._forwarder is not None:
                self._forwarder.close()


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


def _raised_error(claim: object) -> SolutionError | None:
    """The exception that a claim describes, as one of ours that is also the nearest builtin; None for no claim."""
    if type(claim) is not tuple or len(claim) != 4:
        return None
    names, type_name, message, trace = claim
    if type(names) is not list or any(type(text) is not str for text in (*names, type_name, message, trace)):
        return None
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
