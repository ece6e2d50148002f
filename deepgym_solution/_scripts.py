"""run_solution: a solution that is a program, run in a box of its own with a folder it may write in."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from deepgym_solution import _limits, _runtime
from deepgym_solution._child import folder, kinds, wire
from deepgym_solution._folder_writer import FolderWriter
from deepgym_solution._forward import Forwarder
from deepgym_solution._isolation.policy import Policy
from deepgym_solution._launch import LARGE_PROGRAM_BYTES, LARGE_PROGRAM_FILES, DoesNotFitError, Sealed
from deepgym_solution._script_job import SCRIPT_FOLDER, ScriptJob, make_command_job, make_job
from deepgym_solution.errors import SolutionError, SolutionProtocolError, SolutionTimeoutError

_READ_BYTES = 1 << 16
# After the judge has said stop, the keeper needs only to kill, look and answer.
_STOP_GRACE_S = 10.0
_BATCH_BYTES = 8 * 1024 * 1024


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
        ValueError: So is a cwd that holds the verifier's own files, a timeout that is not above 0, or a NUL in an
            argument or variable.
    """
    current = _runtime.current()
    policy = replace(current.policy, allow_subprocess=allow_subprocess, loopback_port=loopback_port)
    limit = current.case_timeout_s if timeout is None else float(timeout)
    if not limit > 0:
        raise ValueError(f"timeout={timeout!r}: use a number of seconds above 0")
    job = make_job(path, args, cwd, env, interpreter)
    return _complete(current, job, policy, limit, [str(path), *args], stdin)


def run_program(
    argv: Sequence[str], *, cwd: str | os.PathLike[str], stdin: str, timeout: float
) -> CompletedSolution:
    """Run a command line in a sealed box, as `run_solution` runs a file; it may start programs.

    Args:
        argv: The program, looked up as a shell would from cwd, and its arguments.
        cwd: The folder it starts in; see `run_solution`.
        stdin: What it reads.
        timeout: Seconds it may run.

    Raises:
        SolutionTimeoutError: It ran longer than timeout.
        SolutionError: It destroyed its own box, or its folder cannot be brought back.
        LaunchError: The machine could not start it.
        FileNotFoundError: There is no such program, or no such folder.
    """
    current = _runtime.current()
    policy = replace(current.policy, allow_subprocess=True)
    return _complete(current, make_command_job(argv, cwd), policy, timeout, argv, stdin)


def _complete(
    current: _runtime.Run,
    job: ScriptJob,
    policy: Policy,
    limit: float,
    shown: Sequence[str],
    stdin: str | bytes | None,
) -> CompletedSolution:
    as_bytes = isinstance(stdin, (bytes, bytearray))
    data = (
        bytes(stdin)
        if isinstance(stdin, (bytes, bytearray))
        else (stdin or "").encode("utf-8", "surrogatepass")
    )
    done = _Running(job, policy, limit, data).run(current)
    completed = CompletedSolution(list(shown), done.returncode, done.stdout, done.stderr)
    if not as_bytes:
        completed.stdout = done.stdout.decode("utf-8", "replace")
        completed.stderr = done.stderr.decode("utf-8", "replace")
    completed.truncated = done.truncated
    return completed


@dataclass(frozen=True, slots=True)
class _Done:
    returncode: int
    stdout: bytes
    stderr: bytes
    truncated: bool


class _Running:
    """One program under way: its output is collected, its clock is kept, its folder comes back."""

    def __init__(self, job: ScriptJob, policy: Policy, limit_s: float, stdin: bytes) -> None:
        self._job = job
        self._policy = policy
        self._limit_s = limit_s
        self._stdin = stdin
        self._captured: dict[int, bytearray] = {}
        self._sent_bytes = self._sent_files = 0
        self._kept_bytes = min(_limits.MAX_CAPTURED_BYTES, policy.output_bytes)
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
                self._begin(sealed)
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

    def _begin(self, sealed: Sealed) -> None:
        try:
            self._send_folder(sealed)
            sealed.await_begun(self._start_frame())
        except DoesNotFitError as exc:
            if self._sent_bytes < LARGE_PROGRAM_BYTES and self._sent_files < LARGE_PROGRAM_FILES:
                raise
            raise SolutionError(f"the solution does not fit in its limits: {exc}") from None

    def _send_folder(self, sealed: Sealed) -> None:
        deadline = time.monotonic() + _limits.START_TIMEOUT_S
        for frame in self._folder_frames():
            try:
                sealed.send(frame, deadline)
            except OSError:
                return  # the box is gone or stuck: await_begun says why

    def _folder_frames(self) -> Iterator[bytes]:
        job = self._job
        batch: list[tuple[object, ...]] = []
        size = 0
        for entry in folder.pack(job.outer_cwd) if job.outer_cwd is not None else ():
            batch.append(tuple(entry))
            size += len(entry.data) + 256
            self._sent_bytes += len(entry.data)
            self._sent_files += entry.offset == 0
            if size > _BATCH_BYTES:
                yield _frame(kinds.FILES, (job.inner_cwd, batch))
                batch, size = [], 0
        yield _frame(kinds.FILES, (job.inner_cwd, batch))
        if job.source is not None:
            self._sent_bytes += len(job.source)
            for entry in folder.file_entries(os.path.basename(job.inner_path), job.source, mode=0o755):
                yield _frame(kinds.FILES, (SCRIPT_FOLDER, [tuple(entry)]))

    def _start_frame(self) -> bytes:
        job = self._job
        start = (job.inner_path, job.argv, job.interpreter, job.is_chosen, job.env, job.inner_cwd)
        return _frame(kinds.INIT, start)

    def _await_end(self, sealed: Sealed, outputs: tuple[int, int]) -> tuple[int, bool]:
        poller = select.poll()
        for fd in outputs:
            os.set_blocking(fd, False)
            poller.register(fd, select.POLLIN)
        poller.register(sealed.channel.fileno(), select.POLLIN)
        told_to_stop = flood_stopped = False
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
            if self._truncated and not flood_stopped:
                flood_stopped = told_to_stop = True
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
        room = self._kept_bytes - len(kept)
        kept += data[:room]
        self._truncated = self._truncated or len(data) > room
        return bool(data)

    def _drain(self, outputs: tuple[int, int]) -> None:
        for fd in outputs:
            while self._collect(fd) and select.select([fd], [], [], 0)[0]:
                continue

    def _bring_folder_back(self, sealed: Sealed) -> None:
        writer = FolderWriter(self._job.outer_cwd)
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
