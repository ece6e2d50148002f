"""Reading files of records: JSON, JSON lines, either packed by gzip, and parquet where pyarrow is installed."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from typing import IO, Any, cast

from deepgym.errors import UsageError

__all__ = ["Unreadable", "read_records"]

_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"


class Unreadable:
    """A line of a file that is no record; it stands in a record's place, with the reason."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def read_records(path: str | os.PathLike[str]) -> Iterator[Mapping[str, Any] | Unreadable]:
    """The records of a file, one after the other; of JSON lines only one is in memory at a time.

    Raises:
        UsageError: The file cannot be read, is of no known kind, or is parquet and pyarrow is not installed.
    """
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            start = file.read(4)
        if start == _PARQUET:
            yield from _read_parquet(name)
            return
        with gzip.open(path, "rb") if start.startswith(_GZIP) else open(path, "rb") as file:
            yield from _read_json(cast("IO[bytes]", file), name)
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{name} cannot be read: {error}") from None


def _read_json(file: IO[bytes], name: str) -> Iterator[Mapping[str, Any] | Unreadable]:
    """Records of one JSON text, or of one a line; which of the two the first line says."""
    head = b""
    while not head.strip() and (line := file.readline()):
        head = line
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if first.startswith(b"[") or not _is_json(first):
        yield from _whole(first + file.read(), name)
        return
    others = (line for line in file if line.strip())
    second = next(others, None)
    if second is None:
        yield from _whole(first, name)
        return
    yield _record(first)
    yield _record(second)
    for line in others:
        yield _record(line)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _whole(data: bytes, name: str) -> Iterator[Mapping[str, Any] | Unreadable]:
    """The records of one JSON text: a list of them, an object of them by id, or one alone."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        # Not one text: lines, of which the first is broken.
        if data.lstrip().startswith(b"{") and b"\n{" in data:
            for line in data.splitlines():
                if line.strip():
                    yield _record(line)
            return
        raise UsageError(f"{name} is neither JSON nor JSON lines: {error}") from None
    if isinstance(value, dict) and value and all(isinstance(item, dict) for item in value.values()):
        value = list(value.values())
    for item in value if isinstance(value, list) else [value]:
        yield item if isinstance(item, dict) else Unreadable("it is no JSON object")


def _record(line: bytes) -> Mapping[str, Any] | Unreadable:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Unreadable(f"its line is not JSON ({error})")
    return value if isinstance(value, dict) else Unreadable("it is no JSON object")


def _read_parquet(name: str) -> Iterator[Mapping[str, Any]]:
    try:
        import pyarrow.parquet  # noqa: PLC0415 -- an extra
    except ImportError:
        raise UsageError(f"{name} is parquet: pip install pyarrow, or give JSON lines") from None
    try:
        for batch in pyarrow.parquet.ParquetFile(name).iter_batches(batch_size=64):
            yield from batch.to_pylist()
    except (OSError, ValueError) as error:
        raise UsageError(f"{name} cannot be read as parquet: {error}") from None
