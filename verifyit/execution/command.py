"""Run one program under a deadline and collect what it printed.

Theory of operation: the program leads a session, and so a process group, of its own, and has three pipes.
One loop feeds its input and drains both outputs, so that no full pipe can stall it. The loop ends when
the program has ended and its pipes are closed, or at the deadline. Then the group and the program's
descendants are killed, whatever the ending, and what is left in the pipes is collected for a short grace;
a process that left the group and still holds a pipe cannot delay the result beyond it. Output beyond a
limit is read and dropped.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

# How long output is still collected once a program was killed, in seconds.
KILL_GRACE_S: Final = 5.0
# A test log of a large project fits; a program that prints without end cannot fill the grader's memory.
MAX_OUTPUT_BYTES: Final = 64 * 1024 * 1024
# How often the end of the program is looked for while a descendant keeps its pipes open, in seconds.
POLL_S: Final = 0.02
_CHUNK_BYTES: Final = 65536


@dataclass(frozen=True)
class Completed:
    """How a program ended.

    Attributes:
        returncode: Its exit code, or minus the signal that ended it.
        stdout: What it printed, undecodable bytes replaced.
        stderr: What it printed there.
        timed_out: The deadline ended it.
        truncated: It printed more than is kept.
    """

    returncode: int
    stdout: str
    stderr: str
    timed_out: bool
    truncated: bool = False


CandidateRunner: TypeAlias = "Callable[[Sequence[str], Path, float, str | None], Completed]"

_candidate_runner: CandidateRunner | None = None


def set_candidate_runner(runner: CandidateRunner | None) -> None:
    """Have the programs that a candidate wrote run by `runner`, such as in a sandbox of their own; None: right here.

    It takes the arguments of `run_candidate` and keeps its promises.
    """
    global _candidate_runner  # noqa: PLW0603 - one way for a whole process
    _candidate_runner = runner


def run_candidate(argv: Sequence[str], cwd: Path, timeout: float, stdin_text: str | None = None) -> Completed:
    """Run a program that the candidate wrote: as `run_command`, or as `set_candidate_runner` says.

    Raises:
        FileNotFoundError: There is no such program, or no such folder.
        OSError: The program cannot be started for another reason.
    """
    if _candidate_runner is not None:
        return _candidate_runner(argv, cwd, timeout, stdin_text)
    return run_command(argv, cwd, timeout, stdin_text)


def run_command(
    argv: Sequence[str],
    cwd: Path,
    timeout: float,
    stdin_text: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Completed:
    """Run a program to its end or its deadline; nothing of its process group outlives the call.

    Args:
        argv: The program and its arguments; no shell reads them.
        cwd: Where it starts.
        timeout: Its deadline, in seconds.
        stdin_text: Its whole input; empty if None.
        env: Variables added to those of this process.

    Raises:
        FileNotFoundError: There is no such program, or no such folder.
        OSError: The program cannot be started for another reason.
    """
    deadline = time.monotonic() + timeout
    process = subprocess.Popen(
        list(argv),
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    run = _Run(process, (stdin_text or "").encode("utf-8", "surrogatepass"))
    try:
        timed_out = not run.pump(deadline)
        kill_group(process)
        run.drain(time.monotonic() + KILL_GRACE_S)
    finally:
        kill_group(process)
        run.close()
        process.wait()
    return Completed(
        process.returncode, run.text("stdout"), run.text("stderr"), timed_out, truncated=run.truncated
    )


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a program has ended; it is left unreaped, so that its group's number stays its own."""
    if process.returncode is not None:
        return True
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a session leader, its group and, where /proc tells, descendants that left the group."""
    if process.returncode is not None:
        return
    for pid in _descendants(process.pid):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _descendants(pid: int) -> list[int]:
    found: list[int] = []
    pending = [pid]
    while pending:
        parent = pending.pop()
        try:
            with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as file:
                children = [int(child) for child in file.read().split()]
        except (OSError, ValueError):
            continue
        found += children
        pending += children
    return found


@dataclass
class _Run:
    """The pipes of one running program."""

    process: subprocess.Popen[bytes]
    unsent: bytes
    truncated: bool = False
    output: dict[str, bytearray] = field(
        default_factory=lambda: {"stdout": bytearray(), "stderr": bytearray()}
    )
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)

    def __post_init__(self) -> None:
        for name in ("stdin", "stdout", "stderr"):
            pipe: IO[bytes] = getattr(self.process, name)
            os.set_blocking(pipe.fileno(), False)
            event = selectors.EVENT_WRITE if name == "stdin" else selectors.EVENT_READ
            self.selector.register(pipe, event, name)

    def pump(self, deadline: float) -> bool:
        """Move bytes until the program has ended; False if the deadline came first."""
        while not has_ended(self.process):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self._move_ready(min(left, POLL_S))
        return True

    def drain(self, deadline: float) -> None:
        """Collect what the ended program left in its pipes, until they are closed or the deadline."""
        while self.selector.get_map() and (left := deadline - time.monotonic()) > 0:
            self._move_ready(min(left, POLL_S))

    def _move_ready(self, wait_s: float) -> None:
        if not self.selector.get_map():
            # The program closed its pipes and lives on: only its end is left to wait for.
            time.sleep(min(wait_s, POLL_S / 10))
            return
        for key, _events in self.selector.select(wait_s):
            self._move(key)

    def _move(self, key: selectors.SelectorKey) -> None:
        try:
            if key.data == "stdin":
                self.unsent = self.unsent[os.write(key.fd, self.unsent[:_CHUNK_BYTES]) :]
                chunk = self.unsent
            else:
                chunk = os.read(key.fd, _CHUNK_BYTES)
                kept = self.output[key.data]
                room = MAX_OUTPUT_BYTES - len(kept)
                kept += chunk[:room]
                self.truncated = self.truncated or len(chunk) > room
        except BlockingIOError:
            return
        except OSError:
            # The program closed its end of the pipe.
            chunk = b""
        if not chunk:
            self._finish(key)

    def _finish(self, key: selectors.SelectorKey) -> None:
        self.selector.unregister(key.fileobj)
        with contextlib.suppress(OSError):
            getattr(self.process, key.data).close()

    def close(self) -> None:
        """Let go of every pipe that is still open."""
        for key in list(self.selector.get_map().values()):
            self._finish(key)
        self.selector.close()

    def text(self, name: str) -> str:
        """What came out of a pipe."""
        return self.output[name].decode("utf-8", "replace")
