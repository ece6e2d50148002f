"""Packed sets: many environments in one file, `NAME.envs.zip`, each read without the others.

    set.json               what the set is: its format, its source, an index of its records, what was left out
    records/<name>.json    one environment: its settings, and its files by the hash of their content
    blobs/<sha256>         the files themselves, each once for all records that have it

`content_hash` in `set.json` is over the index, the index holds the hash of every record, and a record those of its
files: what is read is checked against them. The same records in the same order make the same bytes. The format is
described in `docs/reference/packed-set.md`. Reading a set runs nothing in it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from deepgym._packed_file import PackedFile
from deepgym.errors import EnvironmentFileError
from deepgym.folders import EnvironmentFolder
from deepgym.models import Environment

__all__ = [
    "FORMAT",
    "SUFFIX",
    "PackedFile",
    "PackedSet",
    "Summary",
    "content_hash",
    "is_packed_set",
    "open_set",
    "set_name",
]

SUFFIX = ".envs.zip"
FORMAT = "deepgym-set/1"

# What a whole run may be given is smaller; the bound keeps a hostile file from filling the memory.
MAX_MEMBER_BYTES = 512 * 1024 * 1024

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")


@dataclass(frozen=True, slots=True)
class Summary:
    """What the index says of a record: enough to list and to select it."""

    name: str
    type: str | None = None
    difficulty: str | None = None
    domain: str | None = None
    tags: tuple[str, ...] = ()
    sha256: str = ""


def is_packed_set(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a file that is called like a packed set."""
    return os.fspath(path).endswith(SUFFIX) and os.path.isfile(path)


def set_name(path: str | os.PathLike[str]) -> str:
    """What the registry calls the set in a file."""
    return os.path.basename(os.fspath(path)).removesuffix(SUFFIX)


def content_hash(records: Sequence[Mapping[str, Any]]) -> str:
    """The hash over a set's index: of every record its name and its hash, by name."""
    lines = sorted(f"{record['name']} {record['sha256']}\n" for record in records)
    return f"sha256:{hashlib.sha256(''.join(lines).encode()).hexdigest()}"


@dataclass(frozen=True)
class PackedSet:
    """A packed set that was opened.

    Attributes:
        path: Its file.
        source: Where its records come from.
        content_hash: The hash over all of it.
        not_carried: Id and reason of the source's records that are not in it.
        summaries: What it holds, by name.
    """

    path: Path
    source: dict[str, Any]
    content_hash: str
    not_carried: tuple[tuple[str, str], ...]
    summaries: dict[str, Summary]
    _archive: zipfile.ZipFile = field(repr=False)

    def load(self, name: str, *, shown_as: str | None = None) -> EnvironmentFolder:
        """One of its environments.

        Args:
            name: Its name in the set.
            shown_as: The environment's name; `set/name` unless given.

        Raises:
            EnvironmentFileError: The set has none of that name, or it is malformed or not what its hash says.
        """
        summary = self.summaries.get(name)
        if summary is None:
            raise self._error(f"has no record {name!r}", "`deepgym list` shows all")
        content = self._read(f"records/{name}.json", summary.sha256)
        folder = self.path / name
        try:
            record = json.loads(content)
            ((filename, verifier),) = record["verifier"].items()
            cases = record.get("test_cases")
            source = self._blob(verifier).decode("utf-8")
            environment = Environment.model_validate(
                {
                    **record["environment"],
                    "name": shown_as or f"{set_name(self.path)}/{name}",
                    "verifier_code": source,
                    "support_files": {
                        key: self._file(value) for key, value in record.get("support_files", {}).items()
                    },
                    "test_cases": None if cases is None else json.loads(self._blob(cases)),
                }
            )
            if filename.endswith(".toml") and environment.verifier_mode == "auto":
                environment = environment.model_copy(update={"verifier_mode": "spec"})
            reference = self._answers(record.get("reference", {}), folder)
            return EnvironmentFolder(
                path=folder,
                environment=environment,
                reference_solution=reference[0] if reference else None,
                right=self._answers(record.get("right", {}), folder / "solutions" / "right"),
                wrong=self._answers(record.get("wrong", {}), folder / "solutions" / "wrong"),
            )
        except EnvironmentFileError:
            raise
        except ValidationError as error:
            raise self._error(
                f"{name}: {error.errors(include_url=False)[0]['msg']}", "import it again"
            ) from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise self._error(
                f"{name} is malformed ({type(error).__name__}: {error})", "import it again"
            ) from None

    def verify(self) -> None:
        """Read all of it and check it against its hashes.

        Raises:
            EnvironmentFileError: Something is not what its hash says, or cannot be read.
        """
        for name in self.summaries:
            self.load(name)

    def _answers(self, files: Mapping[str, str], folder: Path) -> tuple[PackedFile, ...]:
        return tuple(PackedFile.of(folder / name, self._blob(blob)) for name, blob in files.items())

    def _file(self, blob: str) -> str | bytes:
        content = self._blob(blob)
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            return content

    def _blob(self, name: str) -> bytes:
        return self._read(f"blobs/{name}", name)

    def _read(self, member: str, sha256: str) -> bytes:
        content = _read_member(self._archive, member, self.path)
        if hashlib.sha256(content).hexdigest() != sha256:
            raise self._error(f"{member} is not what its hash says", "import it again, or fetch it anew")
        return content

    def _error(self, problem: str, remedy: str) -> EnvironmentFileError:
        return EnvironmentFileError(problem, file=str(self.path), remedy=remedy)


def open_set(path: str | os.PathLike[str]) -> PackedSet:
    """A packed set, its index read; opened once for as long as the file stays the same.

    Raises:
        EnvironmentFileError: It cannot be read, is no packed set, or its index is not what its hash says.
    """
    name = os.path.abspath(path)
    try:
        status = os.stat(name)
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise EnvironmentFileError(problem, file=name, remedy="name a packed set") from None
    # By process as well: after a fork both would move one position in the file.
    return _open(name, status.st_mtime_ns, status.st_size, status.st_ino, os.getpid())


@functools.lru_cache(maxsize=16)
def _open(name: str, *_: int) -> PackedSet:
    path = Path(name)
    remedy = f"make one with `deepgym import`, or leave {SUFFIX} out of its name"
    try:
        archive = zipfile.ZipFile(path)
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise EnvironmentFileError(f"is no packed set ({error})", file=name, remedy=remedy) from None
    try:
        head = json.loads(_read_member(archive, "set.json", path))
        _check_head(head, name)
        summaries = {record["name"]: _summary(record) for record in head["records"]}
        return PackedSet(
            path=path,
            source=dict(head["source"]),
            content_hash=head["content_hash"],
            not_carried=tuple((item["id"], item["reason"]) for item in head["not_carried"]),
            summaries=summaries,
            _archive=archive,
        )
    except EnvironmentFileError:
        archive.close()
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        archive.close()
        problem = f"is no packed set ({type(error).__name__}: {error})"
        raise EnvironmentFileError(problem, file=name, remedy=remedy) from None


def _check_head(head: Mapping[str, Any], name: str) -> None:
    if head["format"] != FORMAT:
        problem = f"has the format {head['format']!r}"
        raise EnvironmentFileError(problem, file=name, remedy=f"this version reads {FORMAT!r}")
    if head["content_hash"] != content_hash(head["records"]):
        raise EnvironmentFileError("is not what its hash says", file=name, remedy="fetch it anew")


def _summary(record: Mapping[str, Any]) -> Summary:
    if not _NAME.match(record["name"]):
        raise ValueError(f"{record['name']!r} is no name")
    return Summary(**{**record, "tags": tuple(record["tags"])})


def _read_member(archive: zipfile.ZipFile, member: str, path: Path) -> bytes:
    problem = ""
    try:
        info = archive.getinfo(member)
        if info.file_size > MAX_MEMBER_BYTES:
            problem = f"{member} has {info.file_size} bytes, the limit is {MAX_MEMBER_BYTES}"
        else:
            # The header may lie: no more is unpacked than it says.
            with archive.open(info) as file:
                return file.read(MAX_MEMBER_BYTES)
    except KeyError:
        problem = f"lacks {member}"
    except (OSError, ValueError, NotImplementedError, RuntimeError, EOFError, zipfile.BadZipFile) as error:
        problem = f"{member} cannot be read ({error})"
    raise EnvironmentFileError(problem, file=str(path), remedy="import it again, or fetch it anew")
