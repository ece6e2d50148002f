"""Writing a packed set; see `deepgym.packed` for what it is."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from deepgym.errors import UsageError
from deepgym.folders import EnvironmentFolder
from deepgym.models import Environment
from deepgym.packed import FORMAT, content_hash

__all__ = ["Answer", "PackedRecord", "SetWriter", "pack_folder", "record_name"]

# A name is shown in tables and is part of file names.
MAX_NAME_CHARS = 100

# One date for all members: the same records give the same bytes.
_DATE = (2020, 1, 1, 0, 0, 0)
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")
# Fields of an environment that are kept as files, or follow from where the set lies.
_KEPT_AS_FILES = frozenset({"name", "verifier_code", "verifier_path", "support_files", "test_cases"})


@dataclass(frozen=True, slots=True)
class Answer:
    """A known answer: the name its file has, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class PackedRecord:
    """An environment with its known answers, on its way into a set.

    Attributes:
        environment: The environment.
        reference: The answer that scores 1.0.
        right: Other answers that must pass.
        wrong: Answers that must not.
        notes: What of the source's record did not come along, and why.
    """

    environment: Environment
    reference: Answer | None = None
    right: tuple[Answer, ...] = ()
    wrong: tuple[Answer, ...] = ()
    notes: tuple[str, ...] = ()


def record_name(text: str, taken: Container[str] = ()) -> str:
    """A record's id as a name in a set: letters, digits, `.`, `_` and `-`, and not one that is taken."""
    name = _NOT_IN_NAMES.sub("_", text).strip("._-")[:MAX_NAME_CHARS] or "record"
    number, unique = 2, name
    while unique in taken:
        unique, number = f"{name}-{number}", number + 1
    return unique


def pack_folder(folder: EnvironmentFolder) -> PackedRecord:
    """The record of an environment that was read, from wherever it was.

    Raises:
        UsageError: A known answer cannot be read as text.
    """

    def read(path: Path) -> Answer:
        try:
            return Answer(path.name, path.read_bytes().decode("utf-8", "surrogatepass"))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} cannot be read as text: {error}") from None

    reference = folder.reference_solution
    return PackedRecord(
        folder.environment,
        None if reference is None else read(reference),
        tuple(read(path) for path in folder.right),
        tuple(read(path) for path in folder.wrong),
    )


class SetWriter:
    """Writes a packed set; the file is there, whole, once the block has ended without an exception.

    with SetWriter(path, source={"format": "mbpp"}) as writer:
        writer.add("MBPP/2", record)
    """

    def __init__(self, path: str | os.PathLike[str], *, source: Mapping[str, object] | None = None) -> None:
        self._path = Path(path)
        self._source = dict(source or {})
        self._records: dict[str, dict[str, Any]] = {}
        self._blobs: set[str] = set()
        self._not_carried: list[dict[str, str]] = []
        self._archive: zipfile.ZipFile | None = None
        self._draft = ""

    def __enter__(self) -> Self:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Written beside its place and renamed, so that nobody ever finds half of it.
            fd, self._draft = tempfile.mkstemp(prefix=".packing-", dir=self._path.parent)
        except OSError as error:
            raise UsageError(f"{self._path} cannot be written: {error.strerror}") from None
        os.fchmod(fd, 0o644)
        self._archive = zipfile.ZipFile(os.fdopen(fd, "w+b"), "w", zipfile.ZIP_DEFLATED)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        archive = self._archive
        assert archive is not None
        handle = archive.fp
        try:
            if kind is None:
                self._put("set.json", _render(self._head()))
            archive.close()
            if handle is not None:
                handle.close()
            if kind is None:
                os.replace(self._draft, self._path)
        finally:
            if os.path.exists(self._draft):
                os.unlink(self._draft)

    def add(self, record_id: str, record: PackedRecord) -> str:
        """Add an environment, and return its name in the set.

        Raises:
            UsageError: Its verifier is in a file that cannot be read.
        """
        name = record_name(record_id, self._records)
        env = record.environment
        source = env.read_verifier()
        filename = os.path.basename(env.verifier_filename)
        data: dict[str, Any] = {
            "id": record_id,
            "environment": env.model_dump(mode="json", exclude=set(_KEPT_AS_FILES), exclude_defaults=True),
            "verifier": {filename: self._blob(source)},
            "support_files": {name: self._blob(content) for name, content in env.support_files.items()},
        }
        if env.test_cases is not None:
            data["test_cases"] = self._blob(json.dumps(env.test_cases, separators=(",", ":")))
        if record.reference is not None:
            data["reference"] = self._answers([record.reference])
        data["right"] = self._answers(record.right)
        data["wrong"] = self._answers(record.wrong)
        data["notes"] = list(record.notes)
        content = _render({key: value for key, value in data.items() if value not in ({}, [])})
        self._put(f"records/{name}.json", content)
        self._records[name] = {
            "name": name,
            "type": env.metadata.get("type"),
            "difficulty": env.difficulty,
            "domain": env.metadata.get("domain"),
            "tags": list(env.tags),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        return name

    def leave_out(self, record_id: str, reason: str) -> None:
        """Write down that a record of the source is not in the set, and why."""
        self._not_carried.append({"id": record_id, "reason": reason})

    def _head(self) -> dict[str, Any]:
        records = list(self._records.values())
        return {
            "format": FORMAT,
            "source": self._source,
            "content_hash": content_hash(records),
            "records": records,
            "not_carried": self._not_carried,
        }

    def _answers(self, answers: Sequence[Answer]) -> dict[str, str]:
        found: dict[str, str] = {}
        for answer in answers:
            found[record_name(answer.name, found)] = self._blob(answer.text)
        return found

    def _blob(self, content: str | bytes) -> str:
        data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        name = hashlib.sha256(data).hexdigest()
        if name not in self._blobs:
            self._blobs.add(name)
            self._put(f"blobs/{name}", data)
        return name

    def _put(self, name: str, content: bytes) -> None:
        assert self._archive is not None
        info = zipfile.ZipInfo(name, _DATE)
        info.external_attr = 0o644 << 16
        self._archive.writestr(info, content, zipfile.ZIP_DEFLATED)


def _render(value: object) -> bytes:
    return (json.dumps(value, indent=1, sort_keys=True) + "\n").encode()
