"""What a verifier holds: a solution that can be called, and handles to objects that stay on the other side."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Literal, NoReturn, Self

from deepgym_solution._child import kinds, wire
from deepgym_solution._session import Session
from deepgym_solution.errors import SolutionError, exception_class

Returns = Literal["value", "args", "handle"]

_AttributeMissingError = exception_class(["AttributeError"])

# Many calls travel together while they are quick. A chunk whose calls are slower is cut down to single calls, so that
# each has its own clock.
_MAX_CHUNK_CALLS = 512
_QUICK_CHUNK_S = 0.05


class Solution:
    """A loaded solution.

    `sol.name(*args, **kwargs)` calls a function, `sol.NAME` reads a module constant of plain type, `hasattr(sol, name)`
    asks, `sol.Name(*args)` makes an object of a class and returns a `Handle` to it. Results are plain data, rebuilt
    from bytes as exactly the builtin types; whatever else happens is a `SolutionError`. A name that this object uses
    itself (`call`, `map`, `close`) is reached with `sol.call("map", ...)`.
    """

    # Slots: what is assigned to a solution would stay on this side and never reach it, so it is an error.
    __slots__ = ("__weakref__", "_callables", "_session")

    def __init__(self, session: Session) -> None:
        self._session = session
        self._callables: dict[str, bool] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return _look_up(self._session, None, name, self._callables)

    def call(
        self,
        name: str,
        /,
        *args: object,
        returns: Returns = "value",
        timeout: float | None = None,
        **kwargs: object,
    ) -> Any:
        """Call a function by name.

        Args:
            name: The function or class.
            *args: Plain data.
            returns: "value" for the result; "args" for a pair of the result and the list of positional arguments as
                they are after the call; "handle" for a `Handle` to the result.
            timeout: Seconds for this call; the case timeout unless given.
            **kwargs: Plain data.

        Raises:
            SolutionError: The call raised, hung, died, or gave no plain data. It is also the nearest builtin exception.
            TypeError: An argument is not plain data.
        """
        if returns not in ("value", "args", "handle"):
            raise ValueError(f'returns={returns!r}: use "value", "args" or "handle"')
        if returns == "value" and name not in self._callables:
            _look_up(self._session, None, name, self._callables, timeout)
        if returns == "value" and self._callables.get(name):
            returns = "handle"
        return _call(self._session, None, name, args, kwargs, returns, timeout)

    def map(
        self, name: str, calls: Iterable[object], *, timeout: float | None = None
    ) -> list[Any | SolutionError]:
        """Call one function many times, faster than one by one.

        Args:
            name: The function.
            calls: The arguments of each call: a tuple of positional arguments, or the one argument itself.
            timeout: Seconds for each call; the case timeout unless given.

        Returns:
            For each call, in order, its result or the `SolutionError` that it came to. A call that hangs or kills the
            process costs itself only: the ones after it run in a fresh process.

        Raises:
            TypeError: An argument is not plain data.
        """
        todo = [args if type(args) is tuple else (args,) for args in calls]
        return _Mapping(self._session, name, timeout).run(todo)

    def close(self) -> None:
        """End the solution's process now; a later call starts a fresh one."""
        self._session.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.end()

    def __repr__(self) -> str:
        return "<a loaded solution>"


class Handle:
    """An object that stays in the solution's process, such as an instance of one of its classes.

    `obj.method(...)` calls a method there and `obj.attribute` reads a plain attribute. A handle is not data: it has no
    truth value, no length, no order, no equality and no conversion, each of which raises `SolutionError`, so that no
    comparison in a verifier can be won by one. It dies with its process: after a time-out it cannot be used.
    """

    __slots__ = ("__weakref__", "_callables", "_generation", "_number", "_session")

    def __init__(self, session: Session, number: int) -> None:
        self._session = session
        self._number = number
        self._generation = session.generation
        self._callables: dict[str, bool] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        self._check_alive()
        return _look_up(self._session, self, name, self._callables)

    def call(
        self,
        name: str,
        /,
        *args: object,
        returns: Returns = "value",
        timeout: float | None = None,
        **kwargs: object,
    ) -> Any:
        """Call a method by name; see `Solution.call`."""
        self._check_alive()
        return _call(self._session, self, name, args, kwargs, returns, timeout)

    def _check_alive(self) -> None:
        if self._generation != self._session.generation or not self._session.is_running:
            raise SolutionError("this object is gone: the process that it lived in has ended")

    def __del__(self) -> None:
        try:
            self._session.drop(self._generation, self._number)
        except AttributeError:
            return  # it was never finished

    def _refuse(self, *_: object) -> NoReturn:
        raise SolutionError(
            "an object of the solution is not plain data: call its methods and compare what they return"
        )

    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __call__ = __next__ = __reversed__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __int__ = __float__ = __complex__ = __index__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __divmod__ = __rdivmod__ = (
        _refuse
    )
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rshift__ = __matmul__ = (
        _refuse
    )
    __setitem__ = __delitem__ = __enter__ = __exit__ = __await__ = __aiter__ = __fspath__ = _refuse
    __pos__ = __invert__ = __trunc__ = __floor__ = __ceil__ = _refuse
    __bytes__ = __str__ = __format__ = __neg__ = __abs__ = __round__ = __reduce_ex__ = _refuse
    __eq__ = __ne__ = __hash__ = _refuse

    def __repr__(self) -> str:
        return f"<handle {self._number} to an object of the solution>"


class _Callable:
    """A function or class of the solution, bound to its owner."""

    __slots__ = ("_args",)

    def __init__(self, session: Session, target: Handle | None, name: str, *, is_class: bool) -> None:
        self._args = (session, target, name, "handle" if is_class else "value")

    def __call__(self, /, *args: object, **kwargs: object) -> Any:
        session, target, name, returns = self._args
        return _call(session, target, name, args, kwargs, returns, None)

    def __repr__(self) -> str:
        return f"<{self._args[2]} of the solution>"


def _target_number(target: Handle | None) -> int | None:
    if target is None:
        return None
    target._check_alive()  # noqa: SLF001 - same module, one boundary
    return target._number  # noqa: SLF001


def _look_up(
    session: Session,
    target: Handle | None,
    name: str,
    known: dict[str, bool],
    timeout: float | None = None,
) -> Any:
    if name in known:
        return _Callable(session, target, name, is_class=known[name])
    frame = session.ask(kinds.GET, (_target_number(target), name), timeout, name)
    if frame.kind == kinds.CALLABLE:
        known[name] = session.value_of(frame) is True
        return _Callable(session, target, name, is_class=known[name])
    return _value_of(session, frame, "value")


def _call(
    session: Session,
    target: Handle | None,
    name: str,
    args: tuple[object, ...],
    kwargs: dict[str, object],
    returns: str,
    timeout: float | None,
) -> Any:
    request = (_target_number(target), name, args, kwargs, returns)
    frame = session.ask(kinds.CALL, request, timeout, name)
    return _value_of(session, frame, returns)


def _value_of(session: Session, frame: wire.Frame, returns: str) -> Any:
    kind = frame.kind
    value = session.value_of(frame)
    if kind == kinds.VALUE and returns == "value":
        return value
    if kind == kinds.HANDLE and returns == "handle" and type(value) is int:
        return Handle(session, value)
    if kind == kinds.RESULT_ARGS and returns == "args" and type(value) is tuple and len(value) == 2:
        result, args = value
        if type(args) is tuple:
            return result, list(args)
    if kind == kinds.RAISED:
        raise session.raised(value)
    if kind == kinds.MISSING and type(value) is str:
        raise _AttributeMissingError(f"the solution has no {value[:200]!r}")
    if kind == kinds.NOT_PLAIN and type(value) is str:
        raise SolutionError(value[:2_000])
    raise session.protocol_error(f"the solution's process answered with a frame of kind {kind}")


class _Mapping:
    """The calls of one `map`: in chunks while they are quick, else one by one."""

    def __init__(self, session: Session, name: str, timeout: float | None) -> None:
        self._session = session
        self._name = name
        self._timeout = timeout

    def run(self, calls: list[tuple[object, ...]]) -> list[Any]:
        results: list[Any] = []
        chunk = 1
        while len(results) < len(calls):
            todo = calls[len(results) : len(results) + chunk]
            begun = time.monotonic()
            found = self._together(todo) if len(todo) > 1 else None
            if found is None:
                found = [self._alone(args) for args in todo]
                chunk = 1
            results.extend(found)
            quick = time.monotonic() - begun < _QUICK_CHUNK_S
            chunk = min(chunk * 4, _MAX_CHUNK_CALLS) if quick else max(1, chunk // 8)
        return results

    def _alone(self, args: tuple[object, ...]) -> Any:
        try:
            return _call(self._session, None, self._name, args, {}, "value", self._timeout)
        except SolutionError as exc:
            return exc

    def _together(self, calls: list[tuple[object, ...]]) -> list[Any] | None:
        """All results of one chunk, or None when they have to be found one by one."""
        try:
            frame = self._session.ask(kinds.CALLS, (self._name, calls), self._timeout, self._name)
            answer = self._session.value_of(frame)
        except (SolutionError, TypeError):
            return None  # also when all arguments together are too many for one frame
        if frame.kind != kinds.RESULTS:
            return None
        if type(answer) is not tuple or len(answer) != 2:
            return None
        found, values = answer
        if type(found) is not list or type(values) is not list or not len(found) == len(values) == len(calls):
            return None
        return [self._one_of_many(kind, value) for kind, value in zip(found, values, strict=True)]

    def _one_of_many(self, kind: object, value: object) -> Any:
        if kind == kinds.VALUE and type(kind) is int:
            return value
        if kind == kinds.RAISED and type(kind) is int:
            return self._session.raised(value)
        if kind == kinds.NOT_PLAIN and type(value) is str:
            return SolutionError(value[:2_000])
        return self._session.protocol_error("its process answered many calls in no known form")
