"""What the doctor plants on the machine for attempts to find, and the traces that they leave.

Theory of operation. Every secret is random and known to this process alone, so an attempt that returns one has read
it. Every attempt has a tag, which it sends to listeners, gives to the files it makes and to the processes it leaves;
what bears a tag afterwards shows whose it was. All of it is gone when the context is left, and the processes also when
this one dies: each waits for its standard input to close.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

from deepgym._judge.judge import FOLDER
from deepgym.doctor.listeners import Listeners
from deepgym.doctor.violation import Violation
from deepgym_solution._child import kinds, wire
from deepgym_solution._isolation._syscalls import SYSCALLS
from deepgym_solution._isolation.view import package_folder

__all__ = ["Bait"]

VARIABLE = "DEEPGYM_DOCTOR_SECRET"
JUDGE_FILE = "secret.txt"

_VICTIM = "import sys; kept = sys.stdin.readline(); print('ready', flush=True); sys.stdin.read()"
_IPC_RMID = 0

# Killed processes are gone at once, but for a machine that is short of cores.
_END_S = 10.0
_LOOK_S = 0.02


class Bait:
    """A context in which everything is planted."""

    def __init__(self, violations: tuple[Violation, ...], *, is_control: bool) -> None:
        """Prepare; nothing is on the machine yet.

        Args:
            violations: What will be attempted.
            is_control: It will be attempted outside the sandbox.
        """
        run = secrets.token_hex(3)
        self._mark = f"deepgym-doctor-{run}"
        self._is_control = is_control
        # No longer than the name of a process can be.
        self._tags = {row.name: f"dgd{run}{number:03x}" for number, row in enumerate(violations)}
        self._with_victim = [row.name for row in violations if row.victim]
        self._planted: dict[str, str] = {}
        self._victims: dict[str, subprocess.Popen[bytes]] = {}
        self._listeners = Listeners()
        self._stack = ExitStack()
        self._tokens: list[str] = []
        self.missing: dict[str, str] = {}
        self.judge_secret = self._secret("judge")
        self.environment = {VARIABLE: self._secret("environment")}
        self.folder = ""
        self.inherited = -1

    def __enter__(self) -> Self:
        with self._stack as stack:
            stack.enter_context(_variable(VARIABLE, self.environment[VARIABLE]))
            self._plant_files(stack)
            self.missing |= self._listeners.open(self.folder, self._mark)
            stack.callback(self._listeners.close)
            # Open and inheritable, as a careless caller's descriptors are.
            self.inherited = os.memfd_create("deepgym-doctor", 0)
            stack.callback(os.close, self.inherited)
            os.write(self.inherited, self._secret("inherited").encode())
            stack.callback(self._end_processes)
            for name in ("reader", *self._with_victim):
                self._victims[name] = self._start_victim()
            for victim in self._victims.values():
                assert victim.stdout is not None
                victim.stdout.readline()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def holds_secret(self, text: str) -> bool:
        """Whether a text contains something that was hidden."""
        return any(token in text for token in self._tokens)

    def of(self, violation: Violation) -> dict[str, Any]:
        """What an attempt is given: where things are, never what they hold."""
        tag = self._tags[violation.name]
        machine = os.uname().machine
        paths = sysconfig.get_paths()
        inner = f"deepgym-*{FOLDER}/{JUDGE_FILE}"
        return {
            "tag": tag,
            "key": _key_of(tag),
            "is_control": self._is_control,
            "mark": self._mark,
            "variable": VARIABLE,
            "files": dict(self._planted),
            "folder": self.folder,
            "judge_files": [
                f"{self.folder}/{JUDGE_FILE}" if self._is_control else f"{FOLDER}/{JUDGE_FILE}",
                os.path.join(tempfile.gettempdir(), inner),
            ],
            "package_folder": package_folder(),
            "interpreter_folders": [paths["purelib"], paths["stdlib"], paths["scripts"]],
            "listeners": self._listeners.addresses,
            "victim": self._victims[violation.name if violation.victim else "reader"].pid,
            "program": "/bin/sh",
            "machine": machine,
            "syscalls": _numbers(machine),
            "frames": _forged_frames(),
        }

    def traces_of(self, violation: Violation) -> str | None:
        """What an attempt has left outside, or None."""
        tag = self._tags[violation.name]
        if tag in self._listeners.heard:
            return "the caller's listener was reached"
        for folder in (self.folder, tempfile.gettempdir(), "/dev/shm"):  # noqa: S108 - looked into
            if os.path.exists(os.path.join(folder, tag)):
                return f"{os.path.join(folder, tag)} is there"
        if tag in _process_names().values():
            return "its process runs on"
        if violation.victim and (state := _state_of(self._victims[violation.name])) is not None:
            return state
        return "its shared memory is there" if _segment(_key_of(tag)) >= 0 else None

    def _secret(self, place: str) -> str:
        token = f"{self._mark}-{place}-{secrets.token_hex(8)}"
        self._tokens.append(token)
        return token

    def _plant_files(self, stack: ExitStack) -> None:
        runtime = [os.environ.get("XDG_RUNTIME_DIR", ""), f"/run/user/{os.getuid()}", "/run"]
        places = {
            "tmp": [tempfile.gettempdir()],
            "home": [os.path.expanduser("~")],
            "run": runtime,
            "var_tmp": ["/var/tmp"],  # noqa: S108 - a name of our own is made in it
            "shm": ["/dev/shm"],  # noqa: S108
        }
        for place, parents in places.items():
            parent = next(
                (path for path in parents if os.path.isdir(path) and os.access(path, os.W_OK)), None
            )
            if parent is None:
                self.missing[place] = f"{' or '.join(filter(None, parents))} cannot be written"
                continue
            folder = tempfile.mkdtemp(prefix="deepgym-doctor-", dir=parent)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            # Open to all, so that a wall is what keeps the attempt out, and no other user's mode bits.
            Path(folder).chmod(0o755)
            self._planted[place] = self._plant(folder, self._secret(place))
            if place == "tmp":
                self.folder = folder
        self._plant(self.folder, self.judge_secret, JUDGE_FILE)
        stack.callback(self._remove_marked)

    @staticmethod
    def _plant(folder: str, secret: str, name: str = "planted.txt") -> str:
        path = Path(folder, name)
        path.write_text(secret, encoding="utf-8")
        path.chmod(0o644)
        return str(path)

    def _remove_marked(self) -> None:
        for folder in (tempfile.gettempdir(), "/dev/shm"):  # noqa: S108 - only names of our own are removed
            for tag in self._tags.values():
                Path(folder, tag).unlink(missing_ok=True)

    def _start_victim(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-I", "-S", "-c", _VICTIM, self._secret("argument")]
        victim = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={VARIABLE: self._secret("victim")},
            start_new_session=True,
        )
        assert victim.stdin is not None
        victim.stdin.write(self._secret("memory").encode() + b"\n")
        victim.stdin.flush()
        return victim

    def _end_processes(self) -> None:
        for victim in self._victims.values():
            victim.kill()
            victim.wait()
            for pipe in (victim.stdin, victim.stdout):
                assert pipe is not None
                pipe.close()
        tags = set(self._tags.values())
        deadline = time.monotonic() + _END_S
        while left := [pid for pid, name in _process_names().items() if name in tags]:
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            if time.monotonic() > deadline:
                break
            time.sleep(_LOOK_S)
        for tag in tags:
            if (segment := _segment(_key_of(tag))) >= 0:
                ctypes.CDLL(None).shmctl(segment, _IPC_RMID, None)


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _numbers(machine: str) -> dict[str, int]:
    return SYSCALLS.get(machine, {})


def _key_of(tag: str) -> int:
    return int(tag[3:], 16) & 0x7FFFFFFF


def _segment(key: int) -> int:
    """The System V segment of a key, or -1."""
    return int(ctypes.CDLL(None).shmget(key, 0, 0))


def _process_names() -> dict[int, str]:
    """The processes that have not ended, by their numbers."""
    names = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            name, state = _name_and_state(int(pid))
        except OSError:
            continue
        if state != "Z":
            names[int(pid)] = name
    return names


def _name_and_state(pid: int) -> tuple[str, str]:
    stat = Path("/proc", str(pid), "stat").read_text(encoding="utf-8", errors="replace")
    before, after = stat.rsplit(")", 1)
    return before.split("(", 1)[1], after.split()[0]


def _state_of(victim: subprocess.Popen[bytes]) -> str | None:
    """What was done to it."""
    if victim.poll() is not None:
        return "the caller's process was killed"
    _, state = _name_and_state(victim.pid)
    return "the caller's process was stopped" if state in "Tt" else None


def _forged_frames() -> list[str]:
    """What an answer that knows the channel's form would send ahead."""
    frames = [wire.encode_frame(kinds.LAUNCH_FAILED, 0, wire.encode_value("the machine failed"))]
    for kind in (kinds.READY, kinds.VALUE, kinds.LAUNCH_FAILED):
        frames += [wire.encode_frame(kind, number, wire.encode_value(1.0)) for number in range(3)]
    return [frame.hex() for frame in frames]
