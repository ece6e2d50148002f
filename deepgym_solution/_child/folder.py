"""A folder as entries that can cross: packed on one side, unpacked on the other.

Used in both directions. Into the box it carries what the verifier prepared; out of it, what the solution wrote. What
comes out is untrusted: a path that climbs, or a link that leads out, is never made on the judge's side.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Iterator
from typing import NamedTuple

# Regular content travels in pieces of at most this much.
PIECE_BYTES = 4 * 1024 * 1024

_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


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


Stamp = tuple[int, int, int, int, int]

# A write through a mapping (mmap) leaves a file's times as they were, so its content is summed up too. Larger files
# are not: reading them twice would cost more than it is worth.
_SUMMED_BYTES = 64 * 1024 * 1024


def stamps(root: str) -> dict[str, Stamp]:
    """For every path below root, what changes when it is written: inode, size, time of change, mode, check sum."""
    return {path: _stamp(root, path, info) for path, info in _walk(root)}


def pack(root: str, *, unless: dict[str, Stamp] | None = None, own: bool = False) -> Iterator[Entry]:
    """Entries of all that lies below root, folders first.

    Args:
        root: The folder.
        unless: What still has the stamp that it has here is left out.
        own: This code's own copy: what its mode forbids to read is made readable.

    Raises:
        OSError: Something cannot be read.
    """
    unless = unless or {}
    for path, info in _walk(root, own=own):
        regular = stat.S_ISREG(info.st_mode)
        if regular and own and not info.st_mode & stat.S_IRUSR:
            os.chmod(os.path.join(root, path), 0o600)
        if path in unless and unless[path][:4] == _look(info) and unless[path] == _stamp(root, path, info):
            continue
        mode = stat.S_IMODE(info.st_mode)
        if regular:
            yield from _pieces(root, path, mode, info.st_size)
        elif stat.S_ISLNK(info.st_mode):
            target = os.fsencode(os.readlink(os.path.join(root, path)))
            yield Entry(path, "link", mode, 0, 0, target)
        else:
            yield Entry(path, _kind(info.st_mode), mode, 0, 0, b"")


def file_entries(path: str, content: bytes, *, mode: int) -> Iterator[Entry]:
    """The entries of one file that is not on any disk."""
    for at in range(0, max(len(content), 1), PIECE_BYTES):
        yield Entry(path, "file", mode, len(content), at, content[at : at + PIECE_BYTES])


def _look(info: os.stat_result) -> tuple[int, int, int, int]:
    return info.st_ino, info.st_size, info.st_ctime_ns, info.st_mode


def _stamp(root: str, path: str, info: os.stat_result) -> Stamp:
    total = 0
    if stat.S_ISREG(info.st_mode) and 0 < info.st_size <= _SUMMED_BYTES:
        fd = os.open(os.path.join(root, path), _READ_FLAGS)
        try:
            while data := os.read(fd, PIECE_BYTES):
                total = zlib.crc32(data, total)
        finally:
            os.close(fd)
    return (*_look(info), total)


def _walk(root: str, *, own: bool = False) -> Iterator[tuple[str, os.stat_result]]:
    pending = [""]
    while pending:
        base = pending.pop()
        for entry in _listing(os.path.join(root, base), own=own):
            path = f"{base}/{entry.name}" if base else entry.name
            info = entry.stat(follow_symlinks=False)
            yield path, info
            if entry.is_dir(follow_symlinks=False):
                pending.append(path)


def _listing(path: str, *, own: bool) -> list[os.DirEntry[str]]:
    if own and os.stat(path).st_mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(path, 0o700)
    with os.scandir(path) as listing:
        return sorted(listing, key=lambda entry: entry.name)


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "dir"
    if stat.S_ISFIFO(mode):
        return "fifo"
    return "socket" if stat.S_ISSOCK(mode) else "device"


def _pieces(root: str, path: str, mode: int, size: int) -> Iterator[Entry]:
    fd = os.open(os.path.join(root, path), _READ_FLAGS)
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
