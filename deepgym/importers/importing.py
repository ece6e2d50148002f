"""From a file of records to a packed set: every record is carried over or listed with the reason why not."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from deepgym.errors import RecordError, UsageError, one_of
from deepgym.importers.reading import Unreadable, read_records
from deepgym.importers.record import Options
from deepgym.packed import SUFFIX, open_set, set_name
from deepgym.packing import PackedRecord, SetWriter
from deepgym.registry import user_registry

__all__ = ["FORMATS", "ImportReport", "destination", "import_file"]

# Each is a module here, with - for _.
FORMATS = (
    "humaneval",
    "mbpp",
    "evalplus",
    "apps",
    "taco",
    "livecodebench",
    "codecontests",
    "swebench-like",
    "harbor",
)

_ID_FIELDS = ("task_id", "instance_id", "question_id", "problem_id", "name", "id")
Source = Iterator[tuple[str, Mapping[str, Any] | Unreadable]]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of a file of records.

    Attributes:
        path: The packed set.
        set_name: What the registry calls it.
        carried: The names of its environments, in the order of the records.
        not_carried: Id and reason of each record that is not in it.
        notes: Name and what did not come along, for records that are in it in part.
        content_hash: The hash over the set.
    """

    path: Path
    set_name: str
    carried: tuple[str, ...]
    not_carried: tuple[tuple[str, str], ...]
    notes: tuple[tuple[str, str], ...]
    content_hash: str

    @property
    def exit_code(self) -> int:
        """0 if every record was carried over, else 1."""
        return 1 if self.not_carried else 0


def import_file(
    kind: str,
    source: str | os.PathLike[str],
    dest: str | os.PathLike[str],
    *,
    options: Options | None = None,
    replace: bool = False,
    on_record: Callable[[int], None] | None = None,
) -> ImportReport:
    """Make a packed set of a file of published records.

    Args:
        kind: The records' format, one of `FORMATS`.
        source: The file; for `harbor` a folder of task folders.
        dest: Where the set goes; see `destination`.
        options: What was chosen for all records.
        replace: Whether a set that is there may be replaced.
        on_record: Told how many records have been read.

    Raises:
        UsageError: The format is unknown, the source cannot be read or holds nothing that can be carried over, or
            there is a set already.
    """
    if kind not in FORMATS:
        raise UsageError(f"there is no importer {kind!r}: use {one_of(FORMATS)}")
    module = importlib.import_module(f"deepgym.importers.{kind.replace('-', '_')}")
    path = destination(dest, kind)
    if path.exists() and not replace:
        raise UsageError(f"{path} is there already: remove it, or pass --replace")
    records: Source = getattr(module, "read_source", _read_source)(source)
    carried: list[str] = []
    refused: list[tuple[str, str]] = []
    notes: list[tuple[str, str]] = []
    with SetWriter(path, source={"format": kind, "file": os.path.basename(os.fspath(source))}) as writer:
        for number, (record_id, record) in enumerate(records, 1):
            try:
                packed = _convert(module.import_record, record, options or Options())
                name = writer.add(record_id, packed)
            except (UsageError, ValidationError) as error:
                reason = _reason(error)
                writer.leave_out(record_id, reason)
                refused.append((record_id, reason))
            else:
                carried.append(name)
                notes += [(name, note) for note in packed.notes]
            if on_record is not None:
                on_record(number)
        if not carried:
            first = f"; the first, {refused[0][0]}: {refused[0][1]}" if refused else ""
            raise UsageError(f"{source}: none of {len(refused)} records can be carried over{first}")
    content_hash = open_set(path).content_hash
    return ImportReport(path, set_name(path), tuple(carried), tuple(refused), tuple(notes), content_hash)


def destination(dest: str | os.PathLike[str], kind: str) -> Path:
    """Where a set goes: a plain name into the user's registry, anything else to that path, with the suffix of sets.

    In a folder that is there it is called like its format.

    Raises:
        UsageError: It cannot be the name of a set.
    """
    text = os.fspath(dest)
    is_name = (
        isinstance(dest, str)
        and os.sep not in text
        and not text.endswith(SUFFIX)
        and text not in {"", ".", ".."}
    )
    path = (user_registry() / text) if is_name else Path(text).expanduser()
    if not is_name and text and path.is_dir():
        path = path / kind
    name = set_name(path)
    if not name or name[0] in "._-" or not all(char.isalnum() or char in "._-" for char in name):
        raise UsageError(f"{name!r} cannot be the name of a set: use letters, digits, '.', '_' and '-'")
    return path.with_name(name + SUFFIX)


def _read_source(path: str | os.PathLike[str]) -> Source:
    for number, record in enumerate(read_records(path), 1):
        yield _record_id(record, number), record


def _record_id(record: Mapping[str, Any] | Unreadable, number: int) -> str:
    if not isinstance(record, Unreadable):
        for field in _ID_FIELDS:
            value = record.get(field)
            if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
                return str(value)
    return f"record-{number}"


def _convert(
    convert: Callable[[Mapping[str, Any], Options], PackedRecord],
    record: Mapping[str, Any] | Unreadable,
    options: Options,
) -> PackedRecord:
    if isinstance(record, Unreadable):
        raise RecordError(record.reason)
    try:
        return convert(record, options)
    except (UsageError, ValidationError):
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        # Fields of types that no published record has; the record is refused, and the others go on.
        raise RecordError(f"it is malformed ({type(error).__name__}: {error})") from error


def _reason(error: UsageError | ValidationError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error)
