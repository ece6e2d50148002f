"""Put the task's own files back over a workspace that a candidate has changed.

The workspace is hostile: the candidate may have put a symlink where a file or a folder of the task
belongs, to have the task's files written elsewhere. What is in the way is removed, not followed.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from verifyit.reward import InvalidTask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def restore(entries: Sequence[str], tests_dir: Path, workspace: Path) -> None:
    """Copy files and folders of the tests folder over a workspace; folders are merged.

    Raises:
        InvalidTask: An entry is missing, or leads out of the tests folder.
        OSError: A file cannot be written.
    """
    for entry in entries:
        parts = PurePosixPath(entry).parts
        if not parts or PurePosixPath(entry).is_absolute() or ".." in parts:
            raise InvalidTask(f"restore entry {entry!r} must be a path inside the tests folder")
        source = tests_dir.joinpath(*parts)
        if not os.path.lexists(source):
            raise InvalidTask(f"restore entry {entry!r} is not in the tests folder")
    for entry in entries:
        for path in restored_files(entry, tests_dir):
            _put(tests_dir / path, workspace, PurePosixPath(path).parts)


def restored_files(entry: str, tests_dir: Path) -> Iterator[str]:
    """The files that an entry stands for, relative to the tests folder."""
    source = tests_dir / entry
    if not source.is_dir():
        yield str(PurePosixPath(entry))
        return
    for folder, _folders, names in os.walk(source):
        for name in sorted(names):
            yield str(PurePosixPath(Path(folder, name).relative_to(tests_dir)))


def _put(source: Path, workspace: Path, parts: tuple[str, ...]) -> None:
    target = workspace
    for name in parts[:-1]:
        target /= name
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            target.unlink()
        target.mkdir(exist_ok=True)
    target /= parts[-1]
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    elif os.path.lexists(target):
        # Written anew, not over: a hard link made by the candidate would share the bytes.
        target.unlink()
    shutil.copy2(source, target)
