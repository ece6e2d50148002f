"""Boxes in Apple's `container`: one light virtual machine each, through its command.

The command's own failures and a program's exit status look alike (`Error: ...`, 1), so
neither decides anything. Killing the command does not end what runs in the machine: a box
that was given up is removed by the name that it was given before it existed.
"""

import asyncio
import contextlib
import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deepgym.backends import _streams
from deepgym.backends._deadline import Deadline
from deepgym.backends._vendor import Capture, ask, over_limit, words_of
from deepgym.backends.base import Backend, Box, BoxSpec, ExecResult, File, is_swept
from deepgym.errors import BackendUnavailableError, SandboxInfraError

DEFAULT_IMAGE = "docker.io/library/python:3.12-slim"

# Smaller machines are refused by the command, or hang.
LEAST_MEMORY_MB = 256

# How long the removal of a box may take that was given up.
REMOVE_S = 30.0

# What the command itself may say (lists of boxes, errors).
CLI_OUTPUT_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class _Done:
    exit_code: int
    stdout: Capture
    stderr: Capture

    def words(self) -> str:
        return " ".join(self.stderr.value().decode(errors="replace").split())[:300]


def classify(error: Exception, what: str) -> SandboxInfraError:
    """What an error in running the command says: the command itself could not be run."""
    return SandboxInfraError("unavailable", f"{what}: {words_of(error)}", retryable=False)


async def run_command(argv: Sequence[str], *, stdin: bytes | None = None, output_limit_bytes: int) -> _Done:
    """Run a command to its end, however much it writes; when cancelled, kill it."""
    pipe, none = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    source = none if stdin is None else pipe
    process = await asyncio.create_subprocess_exec(*argv, stdin=source, stdout=pipe, stderr=pipe)
    done = _Done(0, Capture(output_limit_bytes), Capture(output_limit_bytes))

    async def read(stream: asyncio.StreamReader | None, kept: Capture) -> None:
        assert stream is not None
        while piece := await stream.read(65536):
            kept.add(piece)

    async def write() -> None:
        if process.stdin is not None:
            # A program that does not read all it is sent ends with a status of its own.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                process.stdin.write(stdin or b"")
                await process.stdin.drain()
            process.stdin.close()

    try:
        await asyncio.gather(write(), read(process.stdout, done.stdout), read(process.stderr, done.stderr))
        exit_code = await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return _Done(exit_code, done.stdout, done.stderr)


class AppleBox(Box):
    """One container, which is a virtual machine."""

    def __init__(self, backend: "AppleBackend", name: str) -> None:
        self._backend = backend
        self.id = name

    async def put(self, files: Sequence[File], deadline: Deadline) -> None:
        """Send all files to one program that writes them."""
        argv = ["exec", "-i", "--uid", "0", "--gid", "0", self.id, *_streams.unpack_argv()]
        done = await self._backend.command(argv, deadline, "writing files", stdin=_streams.pack(files))
        if done.exit_code != 0:
            detail = f"writing files failed ({done.exit_code}): {done.words()}"
            raise SandboxInfraError("create_failed", detail, retryable=False)

    async def exec(self, argv: Sequence[str], deadline: Deadline, *, output_limit_bytes: int) -> ExecResult:
        """Run a program; without `-i` its standard input is closed."""
        whole = ["exec", "--uid", "0", "--gid", "0", "-w", "/", self.id, *argv]
        done = await self._backend.command(
            whole, deadline, "running a command", output_limit_bytes=output_limit_bytes
        )
        # The command's own failure looks like a program's: it matters only when the machine is gone.
        if done.exit_code != 0 and done.words().startswith("Error:") and not await self.alive(deadline):
            raise SandboxInfraError("lost", f"running a command: {done.words()}", retryable=True)
        truncated = done.stdout.truncated or done.stderr.truncated
        exit_code = done.exit_code if done.exit_code >= 0 else None
        return ExecResult(exit_code, done.stdout.value(), done.stderr.value(), truncated)

    async def get(self, path: str, deadline: Deadline, *, limit_bytes: int) -> bytes:
        """Have a program write the file to its standard output."""
        argv = _streams.read_argv(path, limit_bytes)
        result = await self.exec(argv, deadline, output_limit_bytes=limit_bytes + 1)
        if result.exit_code == _streams.READ_MISSING_EXIT:
            raise FileNotFoundError(path)
        if result.exit_code != 0:
            raise SandboxInfraError("lost", f"reading {path} failed: {result.stderr[:300]!r}", retryable=True)
        if len(result.stdout) > limit_bytes:
            raise over_limit(path, limit_bytes)
        return result.stdout

    async def alive(self, deadline: Deadline) -> bool:
        """Look for the container among those that run."""
        try:
            rows = await self._backend.rows(deadline)
        except SandboxInfraError:
            return False
        return any(row_id(row) == self.id and row_state(row) == "running" for row in rows)

    async def destroy(self, deadline: Deadline) -> None:
        """Remove the container; one that is gone already is no error."""
        await self._backend.remove(self.id, deadline)


class AppleBackend(Backend):
    """Virtual machines on this Mac, through Apple's `container` command."""

    name = "apple"
    shares_machine = True
    grade = "vm"

    def __init__(self, *, image: str | None = None, command: str = "container") -> None:
        found = shutil.which(command)
        if found is None:
            raise BackendUnavailableError(
                f'mode="apple" needs the command {command!r}: install Apple\'s container (macOS 26, Apple'
                " silicon) and run `container system start`"
            )
        self._program = found
        self._image = image or DEFAULT_IMAGE

    async def check(self, deadline: Deadline) -> str:
        """Ask for the state of the service that the command talks to."""
        done = await self.command(["system", "status"], deadline, "asking for the service")
        if done.exit_code != 0:
            raise BackendUnavailableError(
                f"Apple's container service does not run: run `container system start` ({done.words()})"
            )
        return f"Apple container, image {self._image}"

    async def create(self, spec: BoxSpec, deadline: Deadline) -> Box:
        """Start a machine without network, labelled, that ends by itself."""
        memory_mb = max(spec.memory_mb, LEAST_MEMORY_MB)
        argv = ["run", "-d", "--name", spec.name]
        for name, value in spec.labels.items():
            argv += ["-l", f"{name}={value}"]
        argv += ["--network", "none", "--cpus", str(max(1, round(spec.cpus))), "--memory", f"{memory_mb}M"]
        argv += ["--read-only", "--tmpfs", "/tmp", "--tmpfs", "/deepgym"]  # noqa: S108  # the box's own
        argv += ["--ulimit", f"nproc={spec.pids}", "--uid", "0", "--gid", "0", "--progress", "none"]
        argv += [spec.image or self._image, "sleep", str(spec.ttl_s)]
        try:
            done = await self.command(argv, deadline, "starting a container")
        except BaseException:
            # The machine may be starting all the same. It has the name we chose; its removal outlives us.
            removal = asyncio.ensure_future(self._remove_given_up(spec.name))
            self._removals.add(removal)
            removal.add_done_callback(self._removals.discard)
            raise
        if done.exit_code != 0:
            await self._remove_given_up(spec.name)
            raise SandboxInfraError(
                "create_failed", f"starting a container failed: {done.words()}", retryable=False
            )
        return AppleBox(self, spec.name)

    _removals: set["asyncio.Task[None]"] = set()  # noqa: RUF012  # keeps the running ones from being collected

    async def _remove_given_up(self, name: str) -> None:
        with contextlib.suppress(SandboxInfraError):
            await self.remove(name, Deadline.after(REMOVE_S))

    async def sweep(self, deadline: Deadline, *, where: Mapping[str, str] | None = None) -> int:
        """Remove the containers that our labels point to; the command cannot filter by them."""
        swept = [
            row_id(row)
            for row in await self.rows(deadline)
            if is_swept(row_labels(row), where, now=time.time())
        ]
        for name in swept:
            await self.remove(name, deadline)
        return len(swept)

    async def remove(self, name: str, deadline: Deadline) -> None:
        """Remove a container, running or not.

        Raises:
            SandboxInfraError: It is still there.
        """
        done = await self.command(["rm", "--force", name], deadline, "removing a container")
        if done.exit_code != 0 and any(row_id(row) == name for row in await self.rows(deadline)):
            raise SandboxInfraError(
                "unavailable", f"removing a container failed: {done.words()}", retryable=True
            )

    async def rows(self, deadline: Deadline) -> list[dict[str, Any]]:
        """All containers, as the command describes them.

        Raises:
            SandboxInfraError: It could not be asked, or its answer is not a list.
        """
        argv = ["ls", "--all", "--format", "json"]
        done = await self.command(argv, deadline, "listing containers")
        if done.exit_code != 0:
            raise SandboxInfraError(
                "unavailable", f"listing containers failed: {done.words()}", retryable=True
            )
        try:
            rows: object = json.loads(done.stdout.value() or b"[]")
        except ValueError as error:
            raise SandboxInfraError("protocol", f"listing containers: {error}", retryable=True) from error
        return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []

    async def command(
        self,
        argv: Sequence[str],
        deadline: Deadline,
        what: str,
        *,
        stdin: bytes | None = None,
        output_limit_bytes: int = CLI_OUTPUT_BYTES,
    ) -> _Done:
        """Run the command with these arguments.

        Raises:
            SandboxInfraError: It could not be run, or not in time.
        """
        run = run_command([self._program, *argv], stdin=stdin, output_limit_bytes=output_limit_bytes)
        return await ask(run, deadline, what, classify)


def _configuration(row: Mapping[str, Any]) -> Mapping[str, Any]:
    found = row.get("configuration")
    return found if isinstance(found, dict) else {}


def row_id(row: Mapping[str, Any]) -> str:
    """A listed container's name: older versions say it in the configuration only."""
    return str(row.get("id") or _configuration(row).get("id") or "")


def row_labels(row: Mapping[str, Any]) -> dict[str, str]:
    """A listed container's labels."""
    labels = _configuration(row).get("labels")
    return {str(name): str(value) for name, value in labels.items()} if isinstance(labels, dict) else {}


def row_state(row: Mapping[str, Any]) -> str:
    """A listed container's state: a word in older versions, an object with one since."""
    status = row.get("status")
    return str(status.get("state")) if isinstance(status, dict) else str(status)
