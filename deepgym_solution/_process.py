"""Starts hosts, and ends them.

Theory of operation. A host is an interpreter inside a box (bubblewrap, or none where there is none). It gets three
descriptors: its control socket, a pidfd of the process that starts it, and a memory file with what it is to be (role,
import path, and for a solution host its code, so that no file of ours is in its box). It answers with one message,
("ready", ...) or ("failed", why), and from then on serves requests on the control socket.

Nothing of a host is a daemon: it ends when the control socket closes, when its starter ends (however it ends), or when
`HostProcess.close` is called, and with it every child, because it is the first process of its pid namespace.
"""

from __future__ import annotations

import importlib.util
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from deepgym_solution._child import wire
from deepgym_solution._isolation import bwrap as bwrap_box
from deepgym_solution._isolation.view import ENVIRONMENT, View, judge_view, solution_view

START_TIMEOUT_S = 30.0

# Users that a root caller's hosts become. They own nothing; two, so that judges and solutions are strangers.
SOLUTION_IDS = (65_532, 65_532)
JUDGE_IDS = (65_533, 65_533)

# Of the environment that boxes have, what makes runs repeat; for judges that keep the caller's.
_REPEATABLE = {name: ENVIRONMENT[name] for name in ("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE")}

# The code of a solution host, in the order of import.
_SOLUTION_HOST_MODULES = (
    "deepgym_solution._child.wire_format",
    "deepgym_solution._child.plain",
    "deepgym_solution._child.encoder",
    "deepgym_solution._child.decoder",
    "deepgym_solution._child.wire",
    "deepgym_solution._child.kinds",
    "deepgym_solution._child.kernel",
    "deepgym_solution._child.folder",
    "deepgym_solution._isolation._syscalls",
    "deepgym_solution._isolation._bpf",
    "deepgym_solution._isolation.seccomp",
    "deepgym_solution._isolation.policy",
    "deepgym_solution._procfs",
    "deepgym_solution._child.seal",
    "deepgym_solution._child.runtime",
    "deepgym_solution._child.program",
    "deepgym_solution._child.entry",
    "deepgym_solution._spawn",
    "deepgym_solution._users",
    "deepgym_solution._host",
    "deepgym_solution._child.boot",
)

# Runs first in a host: reads the memory file, makes the modules in it importable, and starts the role.
_BOOT = """
import marshal, os, sys
fd = int(sys.argv[1])
config, modules = marshal.loads(os.pread(fd, os.fstat(fd).st_size, 0))
os.close(fd)
sys.path += config["import_path"]
for name, is_package, code in modules:
    module = type(sys)(name)
    module.__package__ = name if is_package else name.rpartition(".")[0]
    if is_package:
        module.__path__ = []
    sys.modules[name] = module
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], own, module)
    exec(code, module.__dict__)
import importlib
importlib.import_module(config["boot"]).main(config)
"""


class HostError(Exception):
    """A host could not be started, or is gone. `nested` tells whether namespaces inside it were what failed."""

    def __init__(self, message: str, *, nested: bool = False) -> None:
        super().__init__(message)
        self.nested = nested


@dataclass(frozen=True, slots=True)
class HostPlan:
    """What a host is to be.

    Attributes:
        role: "solution" or "judge".
        boot: Module whose `main(config)` runs in the host.
        way: "nested": it serves from inside a box, and its children get namespaces of their own; "pool": it keeps
            pre-started boxes, from outside; "single": it is such a box; "users": no box, but each child becomes a
            user of its own; "plain": no box at all; "host": none, and its children (judges) are as free as the caller.
        bwrap: The bubblewrap to use, unless the way is "plain".
        preload: Modules to import before serving, so that children have them.
        shown: What its box shows, where somebody else has looked: only an interpreter that was started as users start
            theirs knows of its virtual environment.
        ids: The user and group that a root caller's box becomes, if not those of its role.
        tmp_bytes: Size of a single box's /tmp.
    """

    role: str
    boot: str
    way: str
    bwrap: str | None
    preload: tuple[str, ...] = ()
    shown: View | None = None
    ids: tuple[int, int] | None = None
    tmp_bytes: int | None = None

    @property
    def is_boxed(self) -> bool:
        """The host itself is inside a box."""
        return self.way in ("nested", "single")

    @property
    def view(self) -> View:
        """What its box shows; outside a box, where its code is found."""
        if self.shown is not None:
            return self.shown
        return solution_view() if self.brings_its_code else judge_view()

    @property
    def brings_its_code(self) -> bool:
        """Our code is given to it in memory, since its children must not find a file of it."""
        return self.role == "solution" and (self.is_boxed or self.way == "users")


class HostProcess:
    """One running host and the control socket to it."""

    def __init__(self, plan: HostPlan, *, pass_fds: Sequence[int] = ()) -> None:
        """Start a host and wait until it is ready.

        Args:
            plan: What it is to be.
            pass_fds: Further descriptors that it inherits; their numbers are in its config under "fds".

        Raises:
            HostError: It cannot be started here; the message says why.
        """
        self.plan = plan
        self.pid_of_owner = os.getpid()
        self._lock = threading.Lock()
        self.control, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        errors = os.memfd_create("host-errors", os.MFD_CLOEXEC)
        try:
            self._process = spawn(plan, there, errors, pass_fds)
        except OSError as exc:
            self.control.close()
            os.close(errors)
            raise HostError(f"cannot start {plan.bwrap or sys.executable}: {exc}") from exc
        finally:
            there.close()
        try:
            self._await_ready(errors)
        except BaseException:  # a Ctrl-C too leaves nothing behind
            self.close()
            raise
        finally:
            os.close(errors)

    def _await_ready(self, errors: int) -> None:
        poller = select.poll()
        poller.register(self.control.fileno(), select.POLLIN)
        if not poller.poll(START_TIMEOUT_S * 1000):
            raise HostError(f"the {self.plan.role} host was not ready within {START_TIMEOUT_S:g} s")
        try:
            message = self.control.recv(4096)
        except OSError:
            message = b""
        if not message:
            said = os.pread(errors, 2000, 0).decode("utf-8", "replace").strip()
            raise HostError(f"the {self.plan.role} host ended at its start: {said or 'it said nothing'}")
        answer = wire.decode_value(message)  # the host is trusted
        assert type(answer) is tuple
        state, detail = answer
        if state != "ready":
            raise HostError(str(detail), nested=state == "no-nesting")

    def send(self, message: bytes, fds: Sequence[int]) -> None:
        """Send one request.

        Raises:
            HostError: The host is gone, or this process is a fork of the one that started it.
            OSError: The machine is out of something.
        """
        if os.getpid() != self.pid_of_owner:
            raise HostError("this host belongs to another process")
        try:
            socket.send_fds(self.control, [message], list(fds))
        except ConnectionError as exc:
            raise HostError(f"the {self.plan.role} host is gone: {exc}") from exc

    @property
    def pid(self) -> int:
        """The process that was started: the box's monitor, or the host itself."""
        return self._process.pid

    def is_alive(self, *, for_s: float = 0.0) -> bool:
        """The host still runs, and goes on to for so many seconds."""
        with self._lock:
            if self._process.poll() is not None:
                return False
        # It closes its end before it can be waited for.
        poller = select.poll()
        try:
            poller.register(self.control.fileno(), select.POLLRDHUP)
        except ValueError:  # another thread is closing it
            return False
        return not poller.poll(for_s * 1000)

    def hang_up(self) -> None:
        """Have the host end itself and everything in it, without waiting for that."""
        if os.getpid() == self.pid_of_owner:
            try:
                # To close it would not do: copies in processes that were forked from this one keep it open.
                self.control.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the host is gone

    def close(self) -> None:
        """End the host and everything in it, and wait for the end. In a fork of its owner: let go of it."""
        if os.getpid() != self.pid_of_owner:
            self.control.close()
            self._process.returncode = 0  # another process's child: not ours to wait for, nor to warn of
            return
        self.hang_up()
        self.control.close()
        with self._lock:
            try:
                self._process.wait(timeout=5.0)
            except subprocess.TimeoutExpired:
                self._process.send_signal(signal.SIGKILL)
                self._process.wait()


def spawn(
    plan: HostPlan, control: socket.socket, errors: int, pass_fds: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start a host's process.

    Args:
        plan: What it is to be.
        control: Its end of the control socket.
        errors: Descriptor for what goes wrong before it can speak, or subprocess.DEVNULL.
        pass_fds: Further descriptors that it inherits.

    Raises:
        OSError: No process can be made.
    """
    as_root = os.geteuid() == 0 and plan.is_boxed
    caller = os.pidfd_open(os.getpid())
    ids = plan.ids or (SOLUTION_IDS if plan.role == "solution" else JUDGE_IDS)
    view = plan.view
    box_view = (solution_view() if plan.role == "solution" else judge_view()) if plan.way == "pool" else None
    config = {
        "role": plan.role,
        "boot": plan.boot,
        "way": plan.way,
        "bwrap": plan.bwrap,
        "boxed": plan.is_boxed,
        "control": control.fileno(),
        "caller": caller,
        "fds": list(pass_fds),
        "drop_to": ids if as_root else None,
        "import_path": list(view.import_path),
        "readable": list(view.readable),
        "preload": list(plan.preload),
        "box_view": None if box_view is None else astuple(box_view),
    }
    modules = _solution_host_code() if plan.brings_its_code else []
    code = os.memfd_create("host-code", 0)
    try:
        data = memoryview(marshal.dumps((config, modules)))
        while data:
            data = data[os.write(code, data) :]
        # -S: no site, so that no .pth file and no sitecustomize runs; -P: nothing of the working folder is imported.
        command = [sys.executable, "-s", "-S", "-P", "-B", "-c", _BOOT, str(code)]
        if plan.bwrap is not None and plan.is_boxed:
            command = bwrap_box.box_argv(plan.bwrap, view, command, as_root=as_root, tmp_bytes=plan.tmp_bytes)
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=(control.fileno(), caller, code, *pass_fds),
            env={**os.environ, **_REPEATABLE} if plan.way == "host" else ENVIRONMENT,
            cwd="/",
            start_new_session=True,  # a Ctrl-C at the caller's terminal is the caller's to handle
        )
    finally:
        os.close(code)
        os.close(caller)


_code_cache: list[tuple[str, bool, object]] = []


def _solution_host_code() -> list[tuple[str, bool, object]]:
    """Compiled modules of a solution host, so that its box needs no file of ours."""
    if not _code_cache:
        empty = compile("", "deepgym", "exec")
        packages = ("deepgym_solution", "deepgym_solution._child", "deepgym_solution._isolation")
        modules: list[tuple[str, bool, object]] = [(name, True, empty) for name in packages]
        for name in _SOLUTION_HOST_MODULES:
            spec = importlib.util.find_spec(name)
            assert spec is not None
            assert spec.loader is not None
            modules.append((name, False, spec.loader.get_code(name)))  # type: ignore[attr-defined]
        _code_cache.extend(modules)
    return _code_cache
