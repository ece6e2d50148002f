"""Reading files that a candidate may have written: bounded, regular, never through a symlink."""

from __future__ import annotations

import io
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# A reward file, a verdict or an answer is a few kilobytes; a megabyte leaves room and costs nothing.
MAX_ARTIFACT_BYTES = 1_000_000


class TooLargeError(ValueError):
    """A file holds more bytes than may be read from it."""


def read_regular_bytes(path: Path, *, limit_bytes: int = MAX_ARTIFACT_BYTES) -> bytes:
    """The content of a regular file of at most limit_bytes.

    Neither the file nor the folder it is in may be a symlink; folders further up may.

    Raises:
        OSError: The file is missing, is not a regular file, or is reached through a symlink.
        TooLargeError: The file is larger than limit_bytes.
    """
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return read_beneath(folder, (path.name,), limit_bytes=limit_bytes)
    finally:
        os.close(folder)


def read_beneath(folder: int, parts: tuple[str, ...], *, limit_bytes: int) -> bytes:
    """The content of a regular file below an open folder, with no symlink on the way.

    Every folder is opened by name inside the one before it, so replacing one of them meanwhile
    cannot lead the read elsewhere.

    Args:
        folder: An open descriptor of the folder to begin at; it stays open.
        parts: The names of the folders and, last, of the file.
        limit_bytes: Read at most this much.

    Raises:
        OSError: The file is missing, is not a regular file, or is reached through a symlink.
        TooLargeError: The file is larger than limit_bytes.
    """
    current = os.dup(folder)
    try:
        for name in parts[:-1]:
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=current)
            os.close(current)
            current = inner
        # O_NONBLOCK: opening a named pipe without a writer must not hang.
        descriptor = os.open(
            parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=current
        )
    finally:
        os.close(current)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{parts[-1]} is not a regular file")
        content = file.read(limit_bytes + 1)
    if len(content) > limit_bytes:
        raise TooLargeError(f"{parts[-1]} holds more than {limit_bytes} bytes")
    return content


def read_text(path: Path, *, characters: int = -1, errors: str = "strict") -> str:
    """The text of a UTF-8 file of the task, its line ends turned into newlines.

    Args:
        path: The file; symlinks are followed, since the task is trusted.
        characters: Read at most this many; all if negative.
        errors: What to do with bytes that are not UTF-8, as for ``open``.

    Raises:
        OSError: The file cannot be read.
        UnicodeDecodeError: The file is not UTF-8 and errors is ``strict``.
    """
    with open(path, encoding="utf-8", errors=errors) as file:
        return file.read(characters)


def decode_text(content: bytes) -> str:
    """The text of bytes as UTF-8, bad bytes replaced and line ends turned into newlines."""
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="replace").read()
