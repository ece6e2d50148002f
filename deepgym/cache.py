"""Verdicts on disk: an answer that was judged once need not be judged again.

A verdict is kept under a hash of all that decided it: the environment with its verifier, support files, limits and
seed, the answer, the interpreter, and the code of deepgym itself. Kept is only what may stand for another run: a
verdict (never an outage), of an environment that does not declare itself non-deterministic, whose cases do not depend
on a seed drawn per run, from behind a wall.

The file is one SQLite database, safe for many threads and processes of one machine; put it on a local disk. A cache
that fails never fails a run: it warns once and is left out.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import platform
import sqlite3
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

from deepgym._forks import forget_after_fork
from deepgym._judge.job import Job
from deepgym.errors import UsageError
from deepgym.jobs import Prepared
from deepgym.models import RunResult

__all__ = ["VerdictCache", "cache_key"]

# Half a million verdicts of a few hundred bytes, or some thousand that print a lot.
DEFAULT_MAX_MB = 256

# How long to wait for another process that is writing. A verdict costs milliseconds, so waiting longer is no gain.
_BUSY_S = 0.25

# The size is checked once in so many writes; between two checks the file may grow beyond its bound by as many.
_CHECK_EVERY = 64

# The oldest go, down to this share of the bound, so that not every write has to make room.
_KEEP_SHARE = 0.8

_FORMAT = 1

# Connections that were inherited from before a fork. To close one here would take away the other process's locks.
_inherited: list[sqlite3.Connection] = []


class VerdictCache:
    """Verdicts by key. `DeepGym(cache=PATH)` makes one; `len()` says how many it holds."""

    def __init__(self, path: str | os.PathLike[str], *, max_mb: int = DEFAULT_MAX_MB) -> None:
        """Use the file at path; it is made on first use, and its folder too.

        Args:
            path: The database.
            max_mb: How much of verdicts to keep; the oldest go first.

        Raises:
            UsageError: path is a folder, or max_mb is below 1.
        """
        self.path = os.path.abspath(os.fspath(path))
        if os.path.isdir(self.path):
            raise UsageError(f"cache={self.path!r} is a folder: give the path of a file in it")
        if max_mb < 1:
            raise UsageError(f"max_mb={max_mb!r}: use at least 1")
        self._max_bytes = max_mb * 1024 * 1024
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        self._writes = 0
        self._has_warned = False
        forget_after_fork(self)

    def after_fork(self) -> None:
        """Open a connection of this process's own on next use."""
        self._lock = threading.Lock()
        if self._connection is not None:
            _inherited.append(self._connection)
            self._connection = None

    def get(self, key: bytes) -> RunResult | None:
        """The verdict kept under a key, marked as `cached`; None when there is none."""
        with self._lock, self._harmless():
            row = self._open().execute("SELECT result FROM verdicts WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            try:
                return RunResult.model_validate_json(row[0]).model_copy(update={"cached": True})
            except ValueError:  # of another version, or damaged
                self._open().execute("DELETE FROM verdicts WHERE key = ?", (key,))
        return None

    def put(self, key: bytes, result: RunResult) -> None:
        """Keep a verdict under a key."""
        text = result.model_dump_json()
        with self._lock, self._harmless():
            connection = self._open()
            connection.execute(
                "INSERT OR REPLACE INTO verdicts (key, result, size) VALUES (?, ?, ?)", (key, text, len(text))
            )
            self._writes += 1
            if self._writes % _CHECK_EVERY == 1:
                self._make_room(connection)

    def clear(self) -> None:
        """Forget every verdict.

        Raises:
            sqlite3.Error: The file cannot be written.
        """
        with self._lock:
            connection = self._open()
            connection.execute("DELETE FROM verdicts")
            connection.execute("VACUUM")

    def close(self) -> None:
        """Close the file. The cache can be used again: it opens it anew."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def __reduce__(self) -> tuple[object, ...]:
        """What another process gets is the same file, opened by itself."""
        return functools.partial(VerdictCache, self.path, max_mb=self._max_bytes // (1024 * 1024)), ()

    def __len__(self) -> int:
        count: int = 0
        with self._lock, self._harmless():
            (count,) = self._open().execute("SELECT COUNT(*) FROM verdicts").fetchone()
        return count

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            try:
                self._connection = _connect(self.path)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise  # busy, read-only, full: nothing is wrong with the file
                self._set_aside(error)
                self._connection = _connect(self.path)
        return self._connection

    def _set_aside(self, error: sqlite3.Error) -> None:
        """Move a file that is no database out of the way; it is not ours to delete."""
        aside = f"{self.path}.corrupt-{time.time_ns()}"
        os.rename(self.path, aside)
        for suffix in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.rename(self.path + suffix, aside + suffix)
        self._warn(f"{self.path} is not a cache of verdicts ({error}): it was moved to {aside}")

    @contextlib.contextmanager
    def _harmless(self) -> Iterator[None]:
        """What goes wrong inside costs a judgement, not a run."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()
            if type(error) is sqlite3.DatabaseError:  # and none of its kinds: the file itself is damaged
                self._set_aside(error)
            elif "locked" not in str(
                error
            ):  # another process writes: no verdict is kept, and nothing is wrong
                self._warn(f"the cache of verdicts at {self.path} cannot be used: {error}")

    def _warn(self, message: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(message, RuntimeWarning, stacklevel=2)

    def _make_room(self, connection: sqlite3.Connection) -> None:
        (total,) = connection.execute("SELECT COALESCE(SUM(size), 0) FROM verdicts").fetchone()
        if total <= self._max_bytes:
            return
        to_free = total - self._max_bytes * _KEEP_SHARE
        last = 0
        for row, size in connection.execute("SELECT rowid, size FROM verdicts ORDER BY rowid"):
            last, to_free = row, to_free - size
            if to_free <= 0:
                break
        connection.execute("DELETE FROM verdicts WHERE rowid <= ?", (last,))


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        # Readers and one writer do not wait for each other; a power cut may cost the last verdicts, never the file.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        columns = "key BLOB NOT NULL UNIQUE, result TEXT NOT NULL, size INTEGER NOT NULL"
        connection.execute(f"CREATE TABLE IF NOT EXISTS verdicts ({columns})")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def cache_key(prepared: Prepared, job: Job, *, mode: str) -> bytes | None:
    """Under which key the verdict of a job may be kept; None when it may stand for no other run."""
    env = prepared.env
    if not env.deterministic or (env.seed is None and prepared.mentions_case_seed):
        return None
    parts = (prepared.digest, job.solution, mode.encode(), _machine_digest())
    return hashlib.blake2b(b"".join(hashlib.blake2b(part).digest() for part in parts)).digest()


@functools.lru_cache(maxsize=1)
def _machine_digest() -> bytes:
    """A hash of the interpreter and of deepgym: its version, and its code, for a checkout changes without a version."""
    digest = hashlib.blake2b(f"{_FORMAT} {sys.version} {platform.machine()} {_version()}".encode())
    root = Path(__file__).resolve().parent.parent
    for package in ("deepgym", "deepgym_solution", "verifyit"):
        for path in sorted((root / package).rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.digest()


def _version() -> str:
    try:
        return importlib.metadata.version("deepgym")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
