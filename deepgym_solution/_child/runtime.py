"""The solution's process: loads its module and answers calls on the channel until it closes.

This code shares its process with the solution, which may change any of it. That costs only the solution: whatever it
makes this process send is read by the judge as its own claim.
"""

from __future__ import annotations

import errno
import importlib
import importlib.machinery
import os
import random
import sys
import traceback
import types
from collections.abc import Callable
from typing import Any

from deepgym_solution._child import kinds, wire
from deepgym_solution._child.seal import Place

# Where the solution's files lie: the only files of its own, in its private /tmp.
FOLDER = "/tmp/solution"

MAX_MESSAGE_CHARS = 2_000
MAX_TRACEBACK_CHARS = 8_000
_READ_BYTES = 1 << 16
_OWN_PACKAGE = __name__.partition(".")[0]


# Where this process's /tmp really is; see `seal.Place.root`.
_PRIVATE_ROOT = [""]


class _Channel:
    """Frames over one descriptor."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._reader = wire.FrameReader()

    def receive(self) -> wire.Frame:
        while True:
            frame = self._reader.next_frame()
            if frame is not None:
                return frame
            data = os.read(self._fd, _READ_BYTES)
            if not data:
                os._exit(0)  # the judge is done with this solution
            self._reader.feed(data)

    def send(self, kind: int, call_id: int, value: object) -> None:
        self.send_payload(kind, call_id, wire.encode_value(value))

    def send_payload(self, kind: int, call_id: int, payload: bytes) -> None:
        data = wire.encode_frame(kind, call_id, payload)
        sent = os.write(self._fd, data)
        while sent < len(data):
            data = data[sent:]
            sent = os.write(self._fd, data)


def serve(channel_fd: int, place: Place, seed: int) -> None:
    """Load what the judge sends, then answer until it lets go."""
    channel = _Channel(channel_fd)
    _PRIVATE_ROOT[0] = place.root
    folder = place.inside(FOLDER)
    try:
        first = channel.receive()
        files, entry, is_package_set = _checked_init(wire.decode_value(first.payload))
        flush = _prepare(folder, files, seed)
    except (MemoryError, OSError) as exc:
        if isinstance(exc, OSError) and exc.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        channel.send(kinds.TOO_LARGE, 0, f"{type(exc).__name__}: {exc}"[:500])
        os._exit(0)
    channel.send(kinds.BEGUN, first.call_id, None)
    try:
        module = _load(folder, entry, is_package_set=is_package_set)
    except BaseException as exc:  # noqa: BLE001 - whatever it raises is its answer
        flush()
        channel.send(kinds.RAISED, first.call_id, _describe(exc))
    else:
        flush()
        channel.send(kinds.READY, first.call_id, None)
        _answer_calls(channel, module, flush)


def _checked_init(value: object) -> tuple[dict[str, bytes], str, bool]:
    assert type(value) is tuple
    files, entry, is_package_set = value
    return files, entry, is_package_set


def _prepare(folder: str, files: dict[str, bytes], seed: int) -> Callable[[], None]:
    os.makedirs(folder, 0o700)
    for name, content in files.items():
        path = f"{folder}/{name}"
        if "/" in name:
            os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        view = memoryview(content)
        while view:
            view = view[os.write(fd, view) :]
        os.close(fd)
    os.chdir(folder)
    hide_own_modules()
    sys.path.insert(0, folder)
    sys.argv = ["solution.py"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.dont_write_bytecode = True
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    out, err = (
        open(fd, "w", encoding="utf-8", errors="surrogateescape", closefd=False, buffering=1 << 16)
        for fd in (1, 2)
    )
    sys.stdout, sys.stderr = out, err
    for name, stream in (("__stdin__", sys.stdin), ("__stdout__", out), ("__stderr__", err)):
        setattr(sys, name, stream)
    random.seed(seed)

    def flush() -> None:
        for stream in (out, err):
            try:
                stream.flush()
            except (OSError, ValueError):
                continue

    return flush


def hide_own_modules() -> None:
    """Have nothing of ours importable: what runs next is to find no package of that name, as in any interpreter.

    Our functions hold on to what they use. (That the solution can dig for it is no secret and no harm.)
    """
    for name in [name for name in sys.modules if name.partition(".")[0] == _OWN_PACKAGE]:
        del sys.modules[name]


def _load(folder: str, entry: str, *, is_package_set: bool) -> types.ModuleType:
    if is_package_set:
        return importlib.import_module(entry)
    path = f"{folder}/{entry}.py"
    with open(path, "rb") as handle:
        source = handle.read()
    loader = importlib.machinery.SourceFileLoader(entry, path)
    module = types.ModuleType(entry)
    module.__file__ = path
    module.__loader__ = loader
    spec = importlib.machinery.ModuleSpec(entry, loader, origin=path)
    spec.has_location = True
    module.__spec__ = spec
    sys.modules[entry] = module
    code = compile(source, path, "exec", dont_inherit=True)
    exec(code, module.__dict__)  # noqa: S102 - this is the one place where a solution runs
    return sys.modules.get(entry, module)


class _Handles:
    """Objects that stay here while the judge holds their numbers."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module
        self._objects: dict[int, object] = {}
        self._next = 1

    def keep(self, value: object) -> int:
        number = self._next
        self._next += 1
        self._objects[number] = value
        return number

    def get(self, number: int | None) -> object:
        return self._module if number is None else self._objects[number]

    def drop(self, numbers: tuple[object, ...]) -> None:
        for number in numbers:
            self._objects.pop(number, None)  # type: ignore[call-overload]


def _answer_calls(channel: _Channel, module: types.ModuleType, flush: Callable[[], None]) -> None:
    handles = _Handles(module)
    answers: dict[int, Callable[..., tuple[int, object]]] = {
        kinds.CALL: _call,
        kinds.GET: _get,
        kinds.CALLS: _call_many,
    }
    callees: dict[bytes, tuple[Any, ...]] = {}
    while True:
        kind, call_id, payload = channel.receive()
        if kind == kinds.CALL:
            request = _decode_call(payload, callees)
        else:
            request = _decode_tuple(payload)
        if kind == kinds.DROP:
            handles.drop(request)
            continue
        reply_kind, data = _encoded_answer(answers[kind], handles, request)
        flush()
        channel.send_payload(reply_kind, call_id, data)


def _decode_call(payload: bytes, callees: dict[bytes, tuple[Any, ...]]) -> tuple[Any, ...]:
    length, has_keywords = kinds.CALL_HEAD.unpack_from(payload)
    start = kinds.CALL_HEAD.size
    key = payload[start : start + length]
    callee = callees.get(key)
    if callee is None:
        callee = callees[key] = _decode_tuple(key)
    arguments = _decode_tuple(payload[start + length :])
    return (*callee, *arguments) if has_keywords else (*callee, arguments, {})


def _decode_tuple(data: bytes) -> tuple[Any, ...]:
    value = wire.decode_value(data)
    assert type(value) is tuple
    return value


def _encoded_answer(
    answer: Callable[..., tuple[int, object]], handles: _Handles, request: tuple[object, ...]
) -> tuple[int, bytes]:
    try:
        kind, value = answer(handles, *request)
        return kind, wire.encode_value(value)
    except wire.EncodeError as exc:
        return kinds.NOT_PLAIN, wire.encode_value(str(exc)[:MAX_MESSAGE_CHARS])
    except BaseException as exc:  # noqa: BLE001 - whatever it raises is its answer
        return kinds.RAISED, wire.encode_value(_describe(exc))


def _get(handles: _Handles, target: int | None, name: str) -> tuple[int, object]:
    try:
        value = getattr(handles.get(target), name)
    except AttributeError:
        return kinds.MISSING, name
    if isinstance(value, type):
        return kinds.CALLABLE, value not in _PLAIN_CLASSES
    if callable(value):
        return kinds.CALLABLE, False
    return kinds.VALUE, value


# Calling one of these makes plain data, which crosses as such; calling any other class makes a handle.
_PLAIN_CLASSES = (int, float, complex, bool, str, bytes, list, tuple, dict, set, frozenset)


def _call(
    handles: _Handles,
    target: int | None,
    name: str,
    returns: str,
    args: tuple[object, ...],
    kwargs: dict[str, object],
) -> tuple[int, object]:
    owner = handles.get(target)
    try:
        function = getattr(owner, name)
    except AttributeError:
        return kinds.MISSING, name
    value = function(*args, **kwargs)
    if returns == "handle":
        return kinds.HANDLE, handles.keep(value)
    if returns == "args":
        return kinds.RESULT_ARGS, (value, args)
    return kinds.VALUE, value


def _call_many(handles: _Handles, name: str, calls: list[tuple[object, ...]]) -> tuple[int, object]:
    function = getattr(handles.get(None), name)
    found: list[int] = []
    values: list[object] = []
    for args in calls:
        try:
            value = function(*args)
        except BaseException as exc:  # noqa: BLE001 - whatever it raises is its answer
            found.append(kinds.RAISED)
            values.append(_describe(exc))
        else:
            found.append(kinds.VALUE)
            values.append(value)
    try:
        wire.encode_value(values)
    except wire.EncodeError:
        for at, value in enumerate(values):
            try:
                wire.encode_value(value)
            except wire.EncodeError as exc:
                found[at], values[at] = kinds.NOT_PLAIN, str(exc)[:MAX_MESSAGE_CHARS]
    return kinds.RESULTS, (found, values)


def _describe(exc: BaseException) -> tuple[list[str], str, str, str]:
    """What the judge learns of an exception: names of its builtin classes, its own name, its text, its trace."""
    names = [kind.__name__ for kind in type(exc).__mro__ if kind.__module__ == "builtins"]
    try:
        message = str(exc)
    except BaseException as second:  # noqa: BLE001 - its __str__ is its own code too
        message = f"<str() of the exception raised {type(second).__name__}>"
    if len(message) > MAX_MESSAGE_CHARS:
        message = message[:MAX_MESSAGE_CHARS] + "... [cut]"
    try:
        begin = exc.__traceback__
        while begin is not None and begin.tb_frame.f_code.co_filename == _describe.__code__.co_filename:
            begin = begin.tb_next  # our own lines say nothing about the solution
        trace = "".join(traceback.format_exception(type(exc), exc, begin, limit=-12))
        # A private folder that stands for /tmp is called so, wherever the run happened.
        trace = trace.replace(_PRIVATE_ROOT[0], "") if _PRIVATE_ROOT[0] else trace
    except BaseException:  # noqa: BLE001 - formatting calls its code too
        trace = ""
    if len(trace) > MAX_TRACEBACK_CHARS:
        half = MAX_TRACEBACK_CHARS // 2  # the beginning says where it was called, the end what was raised
        trace = f"{trace[:half]}\n... [cut] ...\n{trace[-half:]}"
    return names[:32], type(exc).__name__[:200], message, trace
