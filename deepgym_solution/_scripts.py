"""run_solution: a solution that is a program, run in a box of its own with a folder it may write in."""

from __future__ import annotations

import os
import select
import shutil
import stat
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from deepgym_solution import _limits, _refused, _runtime
from deepgym_solution._child import folder, kinds, wire
from deepgym_solution._forward import Forwarder
from deepgym_solution._isolation.policy import Policy
from deepgym_solution._launch import Sealed
from deepgym_solution.errors import SolutionError, SolutionProtocolError, SolutionTimeoutError

_READ_BYTES = 1 << 16
# After the judge has said stop, the keeper needs only to kill, look and answer.
_STOP_GRACE_S = 10.0
_BATCH_BYTES = 8 * 1024 * 1024
_SCRIPT_FOLDER = "/tmp/solution"  # noqa: S108 - a path inside the box's own /tmp
_DEFAULT_CWD = "/tmp/work"  # noqa: S108


class CompletedSolution(subprocess.CompletedProcess[Any]):
    """A `subprocess.CompletedProcess` that also says whether output was cut.

    Attributes:
        truncated: More was printed than is kept; the program was stopped there.
    """

    truncated: bool = False


def run_solution(
    path: str | os.PathLike[str],
    args: Sequence[str] = (),
    *,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str | bytes | None = None,
    timeout: float | None = None,
    allow_subprocess: bool = False,
    loopback_port: int | None = None,
    interpreter: str | Sequence[str] | None = None,
) -> CompletedSolution:
    """Run the solution as a program and return when it and all that it started are gone.

    Args:
        path: The program: a Python file, a script with a shebang, an executable, or any file for `interpreter`.
        args: Its command-line arguments.
        cwd: The folder it starts in and the only one it can write in. It sees a copy; what it changed is copied back
            when it has ended: files and folders, no symbolic links, FIFOs or devices (`read_output` says so).
            Without cwd it gets an empty folder that is thrown away.
        env: Variables in addition to the few fixed ones.
        stdin: What it reads. With bytes, stdout and stderr are bytes too; else they are text.
        timeout: Seconds it may run; the environment's `case_timeout` unless given.
        allow_subprocess: It may start programs. Without, it may not start any.
        loopback_port: A port of 127.0.0.1 on which the verifier serves and the solution may connect; no other
            address is reachable.
        interpreter: What runs it, such as "bash" or ["node", "--test"]; found from the file itself unless given.

    Returns:
        Its arguments, return code (negative: the signal that killed it), stdout and stderr. Output beyond the limit is
        cut, the program stopped, and `truncated` set.

    Raises:
        SolutionTimeoutError: It ran longer than timeout.
        SolutionError: It destroyed its own box, or its folder cannot be brought back.
        LaunchError: The machine could not start it; none of its code ran.
        FileNotFoundError: path or cwd does not exist: the verifier's mistake.
    """
    current = _runtime.current()
    policy = replace(current.policy, allow_subprocess=allow_subprocess, loopback_port=loopback_port)
    limit = current.case_timeout_s if timeout is None else float(timeout)
    if not limit > 0:
        raise ValueError(f"timeout={timeout!r}: use a number of seconds above 0")
    job = _make_job(path, args, cwd, env, interpreter)
    as_bytes = isinstance(stdin, (bytes, bytearray))
    data = (
        bytes(stdin)
        if isinstance(stdin, (bytes, bytearray))
        else (stdin or "").encode("utf-8", "surrogatepass")
    )
    done = _Running(job, policy, limit, data).run(current)
    completed = CompletedSolution([str(path), *args], done.returncode, done.stdout, done.stderr)
    if not as_bytes:
        completed.stdout = done.stdout.decode("utf-8", "replace")
        completed.stderr = done.stderr.decode("utf-8", "replace")
    completed.truncated = done.truncated
    return completed


@dataclass(frozen=True, slots=True)
class _Job:
    """What goes into the box."""

    inner_path: str
    argv: list[str]
    interpreter: list[str]
    env: dict[str, str]
    outer_cwd: str | None
    inner_cwd: str
    source: bytes | None


@dataclass(frozen=True, slots=True)
class _Done:
    returncode: int
    stdout: bytes
    stderr: bytes
    truncated: bool


def _make_job(
    path: str | os.PathLike[str],
    args: Sequence[str],
    cwd: str | os.PathLike[str] | None,
    env: Mapping[str, str] | None,
    interpreter: str | Sequence[str] | None,
) -> _Job:
    if isinstance(args, (str, bytes)):
        raise TypeError("args is a list of strings, not one string")
    real = os.path.realpath(os.fspath(path))
    with open(real, "rb") as handle:
        source = handle.read()
    outer = None if cwd is None else os.path.realpath(os.fspath(cwd))
    if outer is not None and not os.path.isdir(outer):
        raise FileNotFoundError(f"cwd={str(cwd)!r} is no folder")
    inner_cwd = outer if outer is not None and outer.startswith("/tmp/") else _DEFAULT_CWD  # noqa: S108
    if outer is not None and real.startswith(outer + os.sep):
        inner_path, content = inner_cwd + real[len(outer) :], None
    else:
        inner_path, content = f"{_SCRIPT_FOLDER}/{os.path.basename(real)}", source
    words = (
        [interpreter] if isinstance(interpreter, str) else list(interpreter or _shebang(source, inner_path))
    )
    variables = {str(name): str(value) for name, value in (env or {}).items()}
    return _Job(inner_path, [str(arg) for arg in args], words, variables, outer, inner_cwd, content)


def _shebang(source: bytes, inner_path: str) -> list[str]:
    """The interpreter that a file names in its first line; empty for this one's own language."""
    if source.startswith(b"\x7fELF"):
        return [inner_path]
    if not source.startswith(b"#!"):
        return []
    words = source[2:].split(b"\n", 1)[0].decode("utf-8", "replace").split()
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-")]
    if not words or os.path.basename(words[0]).startswith("python"):
        return []
    return words


class _Running:
    """One program under way: its output is collected, its clock is kept, its folder comes back."""

    def __init__(self, job: _Job, policy: Policy, limit_s: float, stdin: bytes) -> None:
        self._job = job
        self._policy = policy
        self._limit_s = limit_s
        self._stdin = stdin
        self._captured: dict[int, bytearray] = {}
        self._total = 0
        self._truncated = False

    def run(self, current: _runtime.Run) -> _Done:
        stdin_fd = os.memfd_create("stdin", os.MFD_CLOEXEC)
        out, out_there = os.pipe2(os.O_CLOEXEC)
        err, err_there = os.pipe2(os.O_CLOEXEC)
        self._captured = {out: bytearray(), err: bytearray()}
        try:
            _write_all(stdin_fd, self._stdin)
            os.lseek(stdin_fd, 0, os.SEEK_SET)
            sealed = current.control().start(
                "run", self._policy, current.seed, (out_there, err_there, stdin_fd)
            )
        finally:
            for fd in (stdin_fd, out_there, err_there):
                os.close(fd)
        try:
            with sealed, Forwarder(sealed, self._policy.loopback_port):
                self._send_folder(sealed)
                sealed.await_begun(self._start_frame())
                sealed.forward_listener()
                status, stopped = self._await_end(sealed, (out, err))
                self._bring_folder_back(sealed)
        finally:
            os.close(out)
            os.close(err)
        if stopped and not self._truncated:
            raise SolutionTimeoutError(
                f"the solution ran longer than the {self._limit_s:g} s it may", limit_s=self._limit_s
            )
        code = os.waitstatus_to_exitcode(status)
        return _Done(code, bytes(self._captured[out]), bytes(self._captured[err]), self._truncated)

    def _send_folder(self, sealed: Sealed) -> None:
        job = self._job
        deadline = time.monotonic() + _limits.START_TIMEOUT_S
        try:
            if job.outer_cwd is not None:
                batch: list[tuple[object, ...]] = []
                size = 0
                for entry in folder.pack(job.outer_cwd):
                    batch.append(tuple(entry))
                    size += len(entry.data) + 256
                    if size > _BATCH_BYTES:
                        sealed.send(_frame(kinds.FILES, (job.inner_cwd, batch)), deadline)
                        batch, size = [], 0
                sealed.send(_frame(kinds.FILES, (job.inner_cwd, batch)), deadline)
            else:
                sealed.send(_frame(kinds.FILES, (job.inner_cwd, [])), deadline)
            if job.source is not None:
                name = os.path.basename(job.inner_path)
                entry = folder.Entry(name, "file", 0o755, len(job.source), 0, job.source)
                sealed.send(_frame(kinds.FILES, (_SCRIPT_FOLDER, [tuple(entry)])), deadline)
        except OSError:
            return  # the box is gone or stuck: await_begun says why

    def _start_frame(self) -> bytes:
        job = self._job
        start = (job.inner_path, job.argv, job.interpreter, job.env, job.inner_cwd)
        return _frame(kinds.INIT, start)

    def _await_end(self, sealed: Sealed, outputs: tuple[int, int]) -> tuple[int, bool]:
        poller = select.poll()
        for fd in outputs:
            os.set_blocking(fd, False)
            poller.register(fd, select.POLLIN)
        poller.register(sealed.channel.fileno(), select.POLLIN)
        told_to_stop = False
        patience = sealed.patience(self._limit_s)
        deadline = patience.deadline
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                if told_to_stop:
                    sealed.kill()
                    raise SolutionError("the solution's box did not answer when it was told to stop")
                told_to_stop = not patience.extend()
                if told_to_stop and patience.doubtful:
                    sealed.on_doubt()
                deadline = self._stop(sealed) if told_to_stop else patience.deadline
                continue
            for fd, _ in poller.poll(min(left, 5.0) * 1000):
                if fd == sealed.channel.fileno():
                    self._drain(outputs)
                    return self._end_status(sealed)
                if not self._collect(fd):
                    poller.unregister(fd)
            if self._total > self._policy.output_bytes and not self._truncated:
                self._truncated = told_to_stop = True
                deadline = self._stop(sealed)

    def _stop(self, sealed: Sealed) -> float:
        try:
            sealed.channel.sendall(b"\0")
        except OSError:
            pass  # it has just ended by itself
        return time.monotonic() + _STOP_GRACE_S

    def _end_status(self, sealed: Sealed) -> tuple[int, bool]:
        frame = self._next(sealed)
        value = wire.decode_value(frame.payload)
        if frame.kind != kinds.EXITED or type(value) is not tuple:
            raise SolutionProtocolError("the solution's box sent no report of its end")
        return value[0], value[1]

    def _next(self, sealed: Sealed) -> wire.Frame:
        try:
            return sealed.receive(time.monotonic() + _limits.START_TIMEOUT_S)
        except (EOFError, TimeoutError):
            ended = sealed.ended(wait_s=2.0)
            raise SolutionError(f"the solution's box {ended or 'went away'}") from None

    def _collect(self, fd: int) -> bool:
        """Take what is there; False at the end of the stream."""
        try:
            data = os.read(fd, _READ_BYTES)
        except BlockingIOError:
            return True
        kept = self._captured[fd]
        self._total += len(data)
        room = min(_limits.MAX_CAPTURED_BYTES, self._policy.output_bytes) - len(kept)
        kept += data[: max(room, 0)]
        return bool(data)

    def _drain(self, outputs: tuple[int, int]) -> None:
        for fd in outputs:
            while self._collect(fd) and select.select([fd], [], [], 0)[0]:
                continue

    def _bring_folder_back(self, sealed: Sealed) -> None:
        writer = _FolderWriter(self._job.outer_cwd)
        while True:
            frame = self._next(sealed)
            value = wire.decode_value(frame.payload)
            if frame.kind == kinds.FOLDER:
                writer.finish(value)
                return
            if frame.kind != kinds.FILES or type(value) is not list:
                raise SolutionProtocolError("the solution's box sent no folder")
            for entry in value:
                writer.put(folder.Entry(*entry))


def _frame(kind: int, value: object) -> bytes:
    return wire.encode_frame(kind, 0, wire.encode_value(value))


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


class _FolderWriter:
    """Writes what came out of the box into the verifier's folder, and nothing outside it."""

    def __init__(self, root: str | None) -> None:
        self._root = root
        self._files = 0
        self._bytes = 0

    def put(self, entry: folder.Entry) -> None:
        self._files += entry.offset == 0
        self._bytes += len(entry.data)
        if self._files > _limits.MAX_FOLDER_FILES or self._bytes > _limits.MAX_FOLDER_BYTES:
            raise SolutionError("the solution wrote more files than can be brought back")
        if self._root is None:
            return
        path = os.path.normpath(os.path.join(self._root, entry.path))
        if not path.startswith(self._root + os.sep):
            raise SolutionProtocolError(
                f"the solution's box named a path outside its folder: {entry.path[:200]!r}"
            )
        _refused.forget(path)
        if entry.offset == 0 and entry.kind != "dir":
            _remove(path)
        if entry.kind in ("file", "dir"):
            if entry.kind == "dir" and (os.path.islink(path) or not os.path.isdir(path)):
                _remove(path)
            folder.put(self._root, entry)
        else:
            # Not even a link that stays inside: through other links its target can mean something else.
            _refused.note(path, "a symbolic link" if entry.kind == "link" else f"a {entry.kind}")

    def finish(self, gone: object) -> None:
        if self._root is None or type(gone) is not list:
            return
        for name in gone:
            path = os.path.normpath(os.path.join(self._root, str(name)))
            if path.startswith(self._root + os.sep):
                _remove(path)


def _remove(path: str) -> None:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)
