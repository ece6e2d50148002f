"""LiveCodeBench's private tests: base64 of zlib of a pickle of JSON text, and the pickle can do nothing."""

from __future__ import annotations

import base64
import binascii
import io
import json
import pickle
import zlib
from typing import Any, NoReturn

__all__ = ["load_plain_pickle", "read_private_tests"]

# The largest published record unpacks to some hundred megabytes; a bomb would not end.
MAX_UNPACKED_BYTES = 512 * 1024 * 1024

_PLAIN = frozenset({str, bytes, list, dict})


class _PlainUnpickler(pickle.Unpickler):
    """Builds what the pickle machine builds by itself; whatever would name something of Python's is refused."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"it names {module}.{name}")

    def persistent_load(self, pid: object) -> NoReturn:
        raise pickle.UnpicklingError(f"it names an object elsewhere ({pid!r:.80})")


def load_plain_pickle(data: bytes) -> Any:
    """What a pickle holds, if that is text, bytes, lists and dicts and nothing else.

    Raises:
        ValueError: It holds anything else, names anything that would have to be imported, or is malformed.
    """
    try:
        value = _PlainUnpickler(io.BytesIO(data)).load()
    except Exception as error:  # noqa: BLE001 -- a malformed pickle may raise almost anything
        raise ValueError(f"the pickle is refused: {type(error).__name__}: {error}") from None
    _refuse_others(value)
    return value


def _refuse_others(value: object) -> None:
    waiting, seen = [value], set[int]()
    while waiting:
        item = waiting.pop()
        if type(item) not in _PLAIN:
            raise ValueError(f"the pickle is refused: it holds a value of type {type(item).__name__}")
        if isinstance(item, list | dict):
            if id(item) in seen:
                continue
            seen.add(id(item))
            waiting += [*item, *item.values()] if isinstance(item, dict) else item


def read_private_tests(text: str) -> Any:
    """The tests in a record's `private_test_cases`: JSON text, or the packed form of it.

    Raises:
        ValueError: It is neither.
    """
    if text.lstrip().startswith(("[", "{")):
        return json.loads(text)
    try:
        packed = base64.b64decode(text, validate=True)
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(packed, MAX_UNPACKED_BYTES)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise ValueError(f"it is neither JSON nor base64 of zlib ({error})") from None
    if not unpacker.eof:
        raise ValueError(f"it is cut short, or unpacks to more than {MAX_UNPACKED_BYTES} bytes")
    value = load_plain_pickle(data)
    return json.loads(value) if isinstance(value, str | bytes) else value
