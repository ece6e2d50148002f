"""A tree of task folders in Harbor's layout."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from deepgym.errors import UsageError
from deepgym.folders import read_folder
from deepgym.harbor import is_harbor_task
from deepgym.importers.record import Options
from deepgym.packing import PackedRecord, pack_folder

__all__ = ["import_record", "read_source"]


def read_source(path: str | os.PathLike[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The task folders at or below a folder, by their path in it.

    Raises:
        UsageError: It is no folder, or holds no task.
    """
    root = Path(os.path.abspath(path))
    if not root.is_dir():
        raise UsageError(f"{os.fspath(path)} is no folder: name a task folder, or a folder of them")
    found = False
    for folder, folders, _ in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        task = Path(folder)
        if is_harbor_task(task):
            folders.clear()
            found = True
            yield (task.relative_to(root).as_posix() if task != root else root.name), {"path": task}
    if not found:
        raise UsageError(
            f"{os.fspath(path)} holds no task: a folder with task.toml, instruction.md and tests/ is one"
        )


def import_record(record: Mapping[str, Any], options: Options) -> PackedRecord:
    """The environment of a task folder.

    Raises:
        EnvironmentFileError: A file of it is missing or malformed, or it needs what a box does not have.
        UsageError: Its reference solution is no text.
    """
    del options
    folder = read_folder(record["path"], root=record["path"])
    notes = [] if folder.reference_solution else ["it has no reference: no answer can be read from solution/"]
    if (folder.path / "environment" / "Dockerfile").is_file() and not folder.environment.image:
        notes.append("its image is not built: the tests see this machine's programs")
    return replace(pack_folder(folder), notes=tuple(notes))
