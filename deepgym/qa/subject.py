"""What is looked at: an environment with its known answers, read from a folder, a set of folders or a data set."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from deepgym.errors import EnvironmentFileError, EnvironmentNotFoundError, UsageError
from deepgym.folders import EnvironmentFolder, is_environment_folder
from deepgym.models import Environment
from deepgym.registry import load_folder, set_members

__all__ = ["Answer", "Subject", "Target", "find_targets", "subject_of_folder"]

DEFAULT_MAX_FLOOR = 0.1
_DATA_SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")


@dataclass(frozen=True, slots=True)
class Answer:
    """One known answer: what it is called, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Subject:
    """An environment and what its author knows of answers to it.

    Attributes:
        name: What reports call it.
        environment: The environment.
        reference: The answer that scores 1.0.
        right: Other answers that must.
        wrong: Answers that must not pass.
        folder: Where it was read from, if it has a folder of its own.
        unreadable: Answer files that are no text.
    """

    name: str
    environment: Environment
    reference: Answer | None = None
    right: tuple[Answer, ...] = ()
    wrong: tuple[Answer, ...] = ()
    folder: Path | None = None
    unreadable: tuple[str, ...] = ()

    @property
    def max_floor(self) -> float:
        """The most that an answer without thought may earn."""
        given = self.environment.metadata.get("max_floor", DEFAULT_MAX_FLOOR)
        return float(given) if isinstance(given, int | float) else DEFAULT_MAX_FLOOR

    @property
    def accepts(self) -> frozenset[str]:
        """The forms of a right value that the task allows."""
        given = self.environment.metadata.get("accepts", ())
        return frozenset(map(str, given)) if isinstance(given, list) else frozenset()


@dataclass(frozen=True, slots=True)
class Target:
    """Something to look at, not yet read: `load` raises `UsageError` where it cannot be."""

    name: str
    load: Callable[[], Subject]


def find_targets(paths: tuple[str, ...]) -> list[Target]:
    """The environments that paths name: a registry name, a folder, a folder of folders, a set, or a data set's file.

    Raises:
        EnvironmentNotFoundError: Nothing has the name, or a folder holds no environment.
        UsageError: A data set cannot be read.
    """
    return [target for path in paths for target in _targets(path)]


def subject_of_folder(folder: EnvironmentFolder) -> Subject:
    """The subject of an environment's folder that was read."""
    unreadable: list[str] = []

    def read(path: Path) -> Answer | None:
        name = os.path.relpath(path, folder.path)
        try:
            return Answer(name, path.read_bytes().decode("utf-8"))
        except (OSError, UnicodeDecodeError):
            unreadable.append(name)
            return None

    reference = None if folder.reference_solution is None else read(folder.reference_solution)
    right = tuple(answer for path in folder.right if (answer := read(path)) is not None)
    wrong = tuple(answer for path in folder.wrong if (answer := read(path)) is not None)
    return Subject(
        folder.environment.name, folder.environment, reference, right, wrong, folder.path, tuple(unreadable)
    )


def _targets(text: str) -> Iterator[Target]:
    path = Path(os.path.abspath(os.path.expanduser(text)))
    if path.is_file() and path.name.endswith(_DATA_SUFFIXES):
        yield from _records(text)
    elif path.is_dir() and not is_environment_folder(path) and _environment_folders(path):
        for folder in _environment_folders(path):
            yield Target(os.path.relpath(folder, path), _loader(folder))
    elif not path.is_dir() and (members := set_members(text)):
        for member in members:
            yield Target(member, _loader(member))
    else:
        try:
            load_folder(text)
        except EnvironmentNotFoundError:
            raise
        except EnvironmentFileError:
            pass  # said as a finding when it is loaded
        yield Target(path.name if path.is_dir() else text, _loader(text))


def _environment_folders(root: Path) -> list[Path]:
    """The environments below a folder, and in sets one level further down."""
    found = []
    for child in _visible_folders(root):
        if is_environment_folder(child):
            found.append(child)
        else:
            found += filter(is_environment_folder, _visible_folders(child))
    return found


def _visible_folders(root: Path) -> list[Path]:
    """The folders in a folder that may hold environments; none in one that may not be read."""
    try:
        return [
            child
            for child in sorted(root.iterdir())
            if not child.name.startswith(("_", ".")) and os.path.isdir(child)
        ]
    except OSError:
        return []


def _loader(place: str | Path) -> Callable[[], Subject]:
    return lambda: subject_of_folder(load_folder(place))


def _records(path: str) -> Iterator[Target]:
    from deepgym.datasets import load_dataset  # noqa: PLC0415 -- only a data set's file needs it

    records = load_dataset(path)
    if not records:
        raise UsageError(f"{path} holds no records")
    for record in records:
        reference = record.reference_solution
        subject = Subject(
            record.task_id, record.environment, Answer("the record's", reference) if reference else None
        )
        yield Target(record.task_id, lambda subject=subject: subject)  # type: ignore[misc]  # bound at once
