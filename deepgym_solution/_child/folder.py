"""A folder as entries that can cross: packed on one side, unpacked on the other.

Used in both directions. Into the box it carries what the verifier prepared; out of it, what the solution wrote. What
comes out is untrusted: a path that climbs, or a link that leads out, is never made on the judge's side.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

# Regular content travels in pieces of at most this much.
PIECE_BYTES = 4 * 1024 * 1024


class Entry(NamedTuple):
    """One thing in a folder, or one piece of a file.

    Attributes:
        path: Relative, with slashes.
        kind: "file", "dir", "link", or the name of something that cannot cross ("fifo", "socket", "device").
        mode: Permission bits.
        size: A file's whole size; holes need not be sent.
        offset: Where the piece belongs.
        data: The piece, or a link's target.
    """

    path: str
    kind: str
    mode: int
    size: int
    offset: int
    data: bytes


Stamp = tuple[int, int, int, int]


def stamps(root: str) -> dict[str, Stamp]:
    """For every path below root, what changes when it is written: inode, size, time of change, mode."""
    found: dict[str, Stamp] = {}
    for path, info in _walk(root):
        found[path] = (info.st_ino, info.st_size, info.st_ctime_ns, info.st_mode)
    return found


def pack(root: str, *, unless: dict[str, Stamp] | None = None) -> Iterator[Entry]:
    """Entries of all that lies below root, folders first; what still has the stamp in `unless` is left out."""
    unless = unless or {}
    for path, info in _walk(root):
        if unless.get(path) == (info.st_ino, info.st_size, info.st_ctime_ns, info.st_mode):
            continue
        mode = stat.S_IMODE(info.st_mode)
        if stat.S_ISREG(info.st_mode):
            yield from _pieces(root, path, mode, info.st_size)
        elif stat.S_ISLNK(info.st_mode):
            target = os.fsencode(os.readlink(os.path.join(root, path)))
            yield Entry(path, "link", mode, 0, 0, target)
        else:
            yield Entry(path, _kind(info.st_mode), mode, 0, 0, b"")


def _walk(root: str) -> Iterator[tuple[str, os.stat_result]]:
    pending = [""]
    while pending:
        base = pending.pop()
        with os.scandir(os.path.join(root, base)) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            path = f"{base}/{entry.name}" if base else entry.name
            info = entry.stat(follow_symlinks=False)
            yield path, info
            if entry.is_dir(follow_symlinks=False):
                pending.append(path)


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "dir"
    if stat.S_ISFIFO(mode):
        return "fifo"
    return "socket" if stat.S_ISSOCK(mode) else "device"


def _pieces(root: str, path: str, mode: int, size: int) -> Iterator[Entry]:
    fd = os.open(os.path.join(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        yield Entry(path, "file", mode, size, 0, os.pread(fd, min(PIECE_BYTES, size), 0))
        at = PIECE_BYTES
        while at < size:
            try:
                at = max(at, os.lseek(fd, at, os.SEEK_DATA))  # skip holes: a sparse giant costs nothing
            except OSError:
                return
            data = os.pread(fd, PIECE_BYTES, at)
            if not data:
                return
            yield Entry(path, "file", mode, size, at, data)
            at += len(data)
    finally:
        os.close(fd)


def put(root: str, entry: Entry) -> None:
    """Make one entry below root, on a side where root is this code's own.

    Raises:
        OSError: It cannot be written.
    """
    target = os.path.join(root, entry.path)
    if entry.kind == "dir":
        os.makedirs(target, exist_ok=True)
        os.chmod(target, entry.mode & 0o777 | 0o700)
    elif entry.kind == "link":
        os.symlink(os.fsdecode(entry.data), target)
    elif entry.kind == "file":
        flags = (
            os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | (os.O_TRUNC if entry.offset == 0 else 0)
        )
        fd = os.open(target, flags, 0o600)
        try:
            if entry.offset == 0:
                os.fchmod(fd, entry.mode & 0o777)
                os.ftruncate(fd, entry.size)
            os.pwrite(fd, entry.data, entry.offset)
        finally:
            os.close(fd)
