"""The keeper of a program: the first process of its box, trusted, which starts the solution and outlives it.

Theory of operation. For `run_solution` the box needs somebody who stays when the program is done: to end what it left
in the background, and to send back what it wrote. The keeper is process 1 of the pid namespace, so no signal from
inside reaches it; it is not dumpable, so nobody inside can look into it; it has no capability left. It

    unpacks the folder, tells "begun", forks the program        (which seals itself, then runs)
    waits for the program's end, or for a word from the judge   (the judge's clock decides, not ours)
    kills and reaps all that is left in the namespace
    only then reads the folder, and sends what changed.

A Python file runs in the forked process itself, which saves starting an interpreter. Anything else is executed; when
the program may start no others, the keeper answers the kernel's question for the first execve with yes and for every
later one with no.
"""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import random
import select
import shutil
import signal
import socket
import sys
import threading
import traceback
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from deepgym_solution._child import folder, kernel, kinds, runtime, seal, wire
from deepgym_solution._child.seal import Place
from deepgym_solution._isolation import seccomp
from deepgym_solution._isolation.policy import Policy
from deepgym_solution._procfs import end_family

# What holds back what was written to it. Text comes first: it flushes the bytes beneath it.
_BUFFERED = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)

# In place of an exit status: it dies of the signal, as an interpreter does that nobody handles an interrupt for.
_INTERRUPTED = -signal.SIGINT

_BATCH_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Start:
    """What to run: as the judge sent it."""

    path: str
    argv: list[str]
    interpreter: list[str]
    is_chosen: bool
    env: dict[str, str]
    cwd: str

    @property
    def runs_here(self) -> bool:
        """It is a Python file for this interpreter, and no variable asks for a differently started one."""
        return not self.interpreter and not any(name.startswith("PYTHON") for name in self.env)


def keep(channel_fd: int, place: Place, policy: Policy, seed: int) -> NoReturn:
    """Run one program and report on it; the process ends with it."""
    kernel.set_dumpable(False)
    kernel.become_reaper()
    channel = socket.socket(fileno=channel_fd)
    reader = wire.FrameReader()
    try:
        start, call_id = _receive_start(channel, reader, place)
        before = folder.stamps(start.cwd)
    except (MemoryError, OSError) as exc:
        if isinstance(exc, OSError) and exc.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        _send(channel, kinds.TOO_LARGE, 0, f"{type(exc).__name__}: {exc}"[:500])
        os._exit(0)
    asking, asked = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        asking.close()
        _become_program(start, policy, seed, channel, call_id, asked)
    asked.close()
    for fd in (0, 1, 2):
        os.close(fd)
    kernel.drop_capabilities()
    status, stopped = _await_end(pid, channel, asking)
    _end_everything(place)
    _send(channel, kinds.EXITED, call_id, (status, stopped))
    _send_folder(channel, call_id, start.cwd, before)
    os._exit(0)


def _receive_start(channel: socket.socket, reader: wire.FrameReader, place: Place) -> tuple[Start, int]:
    while True:
        frame = _next_frame(channel, reader)
        value = wire.decode_value(frame.payload)
        assert type(value) is tuple
        if frame.kind == kinds.FILES:
            root, entries = place.inside(value[0]), value[1]
            os.makedirs(root, 0o700, exist_ok=True)
            for entry in entries:
                folder.put(root, folder.Entry(*entry))
        else:
            path, argv, interpreter, is_chosen, env, cwd = value
            if place.root:
                # The judge names its folder where it is for itself; here it lies elsewhere.
                argv = [word.replace(cwd, place.inside(cwd)) for word in argv]
                env = {name: word.replace(cwd, place.inside(cwd)) for name, word in env.items()}
            if interpreter == [path]:
                interpreter = [place.inside(path)]
            start = Start(place.inside(path), argv, interpreter, is_chosen, env, place.inside(cwd))
            return start, frame.call_id


def _next_frame(channel: socket.socket, reader: wire.FrameReader) -> wire.Frame:
    while True:
        frame = reader.next_frame()
        if frame is not None:
            return frame
        data = channel.recv(1 << 18)
        if not data:
            os._exit(0)
        reader.feed(data)


def _send(channel: socket.socket, kind: int, call_id: int, value: object) -> None:
    channel.sendall(wire.encode_frame(kind, call_id, wire.encode_value(value)))


def _await_end(pid: int, channel: socket.socket, asking: socket.socket) -> tuple[int, bool]:
    """The program's wait status and whether the judge stopped it."""
    program = os.pidfd_open(pid)
    poller = select.poll()
    for fd in (program, channel.fileno(), asking.fileno()):
        poller.register(fd, select.POLLIN)
    listener, allowed, stopped = -1, False, False
    while True:
        for fd, _ in poller.poll():
            if fd == program:
                _, status = os.waitpid(pid, 0)
                return status, stopped
            if fd == channel.fileno():
                poller.unregister(fd)
                stopped = True
                os.kill(pid, signal.SIGKILL)
            elif fd == asking.fileno():
                poller.unregister(fd)
                listener = _take_listener(asking)
                if listener >= 0:
                    poller.register(listener, select.POLLIN)
            elif not _answered(listener, allow=not allowed):
                poller.unregister(listener)
            else:
                allowed = True


def _take_listener(asking: socket.socket) -> int:
    _, fds, _, _ = socket.recv_fds(asking, 1, 1)
    return fds[0] if fds else -1


def _answered(listener: int, *, allow: bool) -> bool:
    try:
        seccomp.answer_exec(listener, allow=allow)
    except FileNotFoundError:
        return True  # the one who asked was killed in the meantime
    except OSError:
        return False
    return True


def _end_everything(place: Place) -> None:
    """Kill and reap all that is left in this process's namespace; a plain process knows only its own family."""
    if place.kind != "plain":
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
    else:
        end_family(os.getpid())
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def _send_folder(channel: socket.socket, call_id: int, root: str, before: dict[str, folder.Stamp]) -> None:
    batch: list[tuple[object, ...]] = []
    size = 0
    for entry in folder.pack(root, unless=before, own=True):
        batch.append(tuple(entry))
        size += len(entry.data) + 256
        if size > _BATCH_BYTES:
            _send(channel, kinds.FILES, call_id, batch)
            batch, size = [], 0
    _send(channel, kinds.FILES, call_id, batch)
    gone = sorted(set(before) - set(folder.stamps(root)))
    _send(channel, kinds.FOLDER, call_id, gone)


def _become_program(
    start: Start, policy: Policy, seed: int, channel: socket.socket, call_id: int, asked: socket.socket
) -> NoReturn:
    try:
        os.setsid()
        os.chdir(start.cwd)
        os.umask(0o022)
        seal.limit(policy)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        executable = "" if start.runs_here else _executable(start)
        if start.runs_here or policy.allow_subprocess:
            inet = policy.loopback_port is not None
            seal.give_up_privileges(inet=inet, execute=policy.allow_subprocess)
        else:
            listener = seal.give_up_privileges_asking(inet=policy.loopback_port is not None)
            socket.send_fds(asked, [b"l"], [listener])
            os.close(listener)
        kernel.set_dumpable(True)
        _send(channel, kinds.BEGUN, call_id, None)
        run = _run_here if start.runs_here else _execute
        kernel.keep_only(range(3))
    except OSError as exc:
        _send(channel, kinds.LAUNCH_FAILED, call_id, str(exc)[:500])
        os._exit(121)
    run(start, seed, executable)


def _executable(start: Start) -> str:
    """The program to execute.

    Raises:
        FileNotFoundError: The verifier chose an interpreter that is not there.
    """
    command = start.interpreter[0] if start.interpreter else sys.executable
    found = shutil.which(command, path=start.env.get("PATH", os.environ.get("PATH", "/usr/bin:/bin")))
    if found is None and start.is_chosen:
        raise FileNotFoundError(f"there is no {command!r} in the sandbox")
    return found or command  # what the solution itself names may fail when it runs, and is its own affair


def _execute(start: Start, _seed: int, executable: str) -> NoReturn:
    if start.interpreter == [start.path]:
        argv = [start.path, *start.argv]
    else:
        argv = [*(start.interpreter or [sys.executable]), start.path, *start.argv]
    try:
        os.execve(executable, argv, {**os.environ, **start.env})
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else str(exc)
        os.write(2, f"cannot run {executable}: {reason}\n".encode("utf-8", "backslashreplace"))
        os._exit(127 if isinstance(exc, FileNotFoundError) else 126)


def _run_here(start: Start, seed: int, _executable_path: str) -> NoReturn:
    """Run a Python file as the interpreter would, in this process."""
    os.environ.update(start.env)
    main = types.ModuleType("__main__")
    main.__file__ = start.path
    sys.modules["__main__"] = main
    sys.argv = [start.path, *start.argv]
    sys.path.insert(0, os.path.dirname(start.path))
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1)
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))
    atexit._clear()  # noqa: SLF001 - handlers of the template are not the program's
    random.seed(seed)
    runtime.hide_own_modules()
    known = set(sys.modules)
    status = _status_of(lambda: _execute_file(start.path, main))
    for finish in (threading._shutdown, atexit._run_exitfuncs):  # type: ignore[attr-defined]  # noqa: SLF001
        status = _status_of(finish) or status
    _let_go(main, known)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not getattr(stream, "closed", False):
            status = _status_of(stream.flush) or status
    if status == _INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(status)


def _let_go(main: types.ModuleType, known: set[str]) -> None:
    """Write out files left open and drop what the program's modules hold, as an interpreter does at its end."""
    for item in gc.get_objects():
        if type(item) in _BUFFERED and not item.closed:
            _status_of(item.flush)
    if threading.active_count() > 1:
        return  # a daemon thread may run on until the very end, and must not find its names gone
    own = [module for name, module in sys.modules.copy().items() if name not in known]
    for module in (main, *own):
        if isinstance(module, types.ModuleType):
            module.__dict__.clear()
    gc.collect()


def _execute_file(path: str, main: types.ModuleType) -> None:
    with open(path, "rb") as handle:
        source = handle.read()
    code = compile(source, path, "exec", dont_inherit=True)
    exec(code, main.__dict__)  # noqa: S102 - this is the one place where a program runs


def _status_of(run: Callable[[], object]) -> int:
    """The exit status that an interpreter would have after this: 0, what SystemExit says, 1 after an exception."""
    try:
        run()
    except SystemExit as exc:
        if exc.code is None:
            return 0
        if isinstance(exc.code, int):
            return exc.code & 0xFF
        print(exc.code, file=sys.stderr)  # noqa: T201 - what the interpreter does
        return 1
    except KeyboardInterrupt as exc:
        _print_trace(exc)
        return _INTERRUPTED
    except BaseException as exc:  # noqa: BLE001 - the interpreter's last resort
        _print_trace(exc)
        return 1
    return 0


def _print_trace(exc: BaseException) -> None:
    """What the interpreter prints of an exception that nobody caught: by the program's own hook, if it has one."""
    trace = exc.__traceback__
    while trace is not None and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    hook = sys.excepthook
    try:
        if hook is sys.__excepthook__:
            traceback.print_exception(type(exc), exc, trace)
        else:
            hook(type(exc), exc, trace)
    except BaseException:  # noqa: BLE001 - its own code may run here once more
        os.write(2, b"an exception that cannot be printed\n")
