"""Attempts on other processes, on privileges, and to stay behind."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import signal
import time
from typing import Any

_PR_SET_NAME = 15
_PTRACE_ATTACH, _PTRACE_DETACH = 16, 17
_IPC_CREAT = 0o1000
# Longer than the doctor takes to look, and no longer than a machine should bear it where nothing ends it.
_STAY_S = 60
_MEMORY_READ_BYTES = 32 * 1024 * 1024


def read_own_environment(bait: dict[str, Any]) -> str | None:
    return os.environ.get(bait["variable"])


def read_environments(bait: dict[str, Any]) -> str | None:
    return _search("environ", bait["mark"])


def read_command_lines(bait: dict[str, Any]) -> str | None:
    return _search("cmdline", bait["mark"])


def read_memory(bait: dict[str, Any]) -> str | None:
    """The writable memory of another process, by /proc."""
    pid = bait["victim"]
    pattern = re.compile(re.escape(bait["mark"]).encode() + rb"-memory-[0-9a-f]{16}")
    left = _MEMORY_READ_BYTES
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            begin, end = (int(number, 16) for number in span.split("-"))
            if not rights.startswith("rw") or end - begin > left:
                continue
            left -= end - begin
            try:
                memory.seek(begin)
                found = pattern.search(memory.read(end - begin))
            except (OSError, OverflowError):
                continue
            if found:
                return found.group().decode()
    return None


def signal_victim(bait: dict[str, Any], number: int) -> str:
    os.kill(bait["victim"], number)
    return f"signal {number} was sent"


def signal_by_pidfd(bait: dict[str, Any]) -> str:
    fd = os.pidfd_open(bait["victim"])
    try:
        signal.pidfd_send_signal(fd, signal.SIGTERM)
    finally:
        os.close(fd)
    return "the signal was sent"


def trace_child(_bait: dict[str, Any]) -> str:
    pid = os.fork()
    if pid == 0:
        time.sleep(5)
        os._exit(0)
    try:
        _call("ptrace", _PTRACE_ATTACH, pid, 0, 0)
        os.waitpid(pid, 0)
        _call("ptrace", _PTRACE_DETACH, pid, 0, 0)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return "its child was traced"


def trace_victim(bait: dict[str, Any]) -> str:
    pid = bait["victim"]
    _call("ptrace", _PTRACE_ATTACH, pid, 0, 0)
    # Not this process's child, so it is waited for with __WALL.
    os.waitpid(pid, 0x40000000)
    _call("ptrace", _PTRACE_DETACH, pid, 0, 0)
    return "another process was traced"


def read_by_process_vm(_bait: dict[str, Any]) -> str:
    source, target = ctypes.create_string_buffer(b"seen"), ctypes.create_string_buffer(4)
    here = (ctypes.c_void_p * 2)(ctypes.addressof(target), 4)
    there = (ctypes.c_void_p * 2)(ctypes.addressof(source), 4)
    _call("process_vm_readv", os.getpid(), ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return target.raw.decode()


def take_descriptor(bait: dict[str, Any]) -> str:
    fd = os.pidfd_open(os.getpid())
    try:
        _call("syscall", bait["syscalls"]["pidfd_getfd"], fd, 0, 0)
    finally:
        os.close(fd)
    return "a descriptor was taken out of a process"


def read_inherited(bait: dict[str, Any]) -> str | None:
    for fd in range(3, 256):
        try:
            text = os.pread(fd, 1000, 0)
        except OSError:
            continue
        if bait["mark"].encode() in text:
            return text.decode("utf-8", "replace")
    return None


def count_descriptors(_bait: dict[str, Any], allowed: int) -> str | None:
    """Descriptors beyond the standard streams and what talks to the judge."""
    names = sorted(int(name) for name in os.listdir("/proc/self/fd"))
    held = [fd for fd in names if os.path.exists(f"/proc/self/fd/{fd}") or _is_open(fd)]
    return f"descriptors {held}" if len(held) > allowed else None


def become_root(_bait: dict[str, Any]) -> str:
    os.setresuid(0, 0, 0)
    return "user 0"


def be_machines_root(_bait: dict[str, Any]) -> str | None:
    """Whether this process's user is, outside, the machine's root."""
    with open("/proc/self/uid_map", encoding="ascii") as file:
        for line in file:
            inner, outer, count = (int(word) for word in line.split())
            if inner <= os.getuid() < inner + count and outer + os.getuid() - inner == 0:
                return "root on the machine"
    return None


def hold_capabilities(_bait: dict[str, Any]) -> str | None:
    found = _status("CapInh", "CapPrm", "CapEff", "CapAmb")
    held = {name: value for name, value in found.items() if int(value, 16)}
    return repr(held) if held else None


def gain_by_programs(_bait: dict[str, Any]) -> str | None:
    """Whether a setuid program started from here would gain its owner's rights."""
    return "no_new_privs is not set" if _status("NoNewPrivs")["NoNewPrivs"] == "0" else None


def raise_priority(_bait: dict[str, Any]) -> str:
    os.setpriority(os.PRIO_PROCESS, 0, -10)
    return "nice -10"


def become_realtime(_bait: dict[str, Any]) -> str:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return "SCHED_FIFO"


def raise_limit(_bait: dict[str, Any]) -> str:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard + 1))
    except ValueError as exc:  # how Python names this one refusal
        raise PermissionError(str(exc)) from None
    return f"{hard + 1} open files"


def leave_daemon(bait: dict[str, Any]) -> str:
    """Twice forked, in a session of its own, with none of the descriptors: nobody's child."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if os.fork() == 0:
            _stay(bait["tag"], keep_descriptors=False)
        os._exit(0)
    os.waitpid(pid, 0)
    return "a daemon was started"


def leave_child(bait: dict[str, Any]) -> str:
    """Still holding the output that it was given."""
    if os.fork() == 0:
        _stay(bait["tag"], keep_descriptors=True)
    return "a child was started"


def leave_shared_memory(bait: dict[str, Any]) -> str:
    _call("shmget", bait["key"], 4096, _IPC_CREAT | 0o600)
    return "a segment was made"


def run_program(bait: dict[str, Any]) -> str:
    return _run_in_child(lambda: os.execve(bait["program"], [bait["program"], "-c", "exit 0"], {}))


def run_program_by_shell(_bait: dict[str, Any]) -> str:
    status = os.waitstatus_to_exitcode(os.system("exit 7"))
    if status != 7:
        raise PermissionError(f"the shell did not run: status {status}")
    return "the shell ran"


def run_program_by_spawn(bait: dict[str, Any]) -> str:
    pid = os.posix_spawn(bait["program"], [bait["program"], "-c", "exit 0"], {})
    _, status = os.waitpid(pid, 0)
    if status:
        raise PermissionError(f"the program did not run: status {status}")
    return "the program ran"


def run_program_from_memory(bait: dict[str, Any]) -> str:
    with open(bait["program"], "rb") as file:
        content = file.read()
    fd = os.memfd_create("program")
    os.write(fd, content)
    return _run_in_child(lambda: os.execve(fd, ["sh", "-c", "exit 0"], {}))


def open_terminal(_bait: dict[str, Any]) -> str:
    os.close(os.open("/dev/tty", os.O_RDWR))
    return "/dev/tty"


def make_terminal(_bait: dict[str, Any]) -> str:
    os.close(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
    return "/dev/ptmx"


def dump_core(_bait: dict[str, Any]) -> str | None:
    """A crash that leaves the memory of the process on the machine."""
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    return "core files are allowed" if hard else None


def _search(name: str, mark: str) -> str | None:
    for pid in os.listdir("/proc"):
        if not pid.isdigit():
            continue
        try:
            with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
                text = file.read(200_000)
        except OSError:
            continue
        if mark in text:
            return text[text.index(mark) :][:300]
    return None


def _status(*names: str) -> dict[str, str]:
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        fields = dict(line.split(":", 1) for line in file if ":" in line)
    return {name: fields[name].strip() for name in names}


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _run_in_child(execute: Any) -> str:
    pid = os.fork()
    if pid == 0:
        try:
            execute()
        except OSError as exc:
            os._exit(exc.errno or 255)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status:
        raise OSError(status, os.strerror(status) if status > 0 else f"signal {-status}")
    return "the program ran"


def _stay(tag: str, *, keep_descriptors: bool) -> None:
    if not keep_descriptors:
        os.closerange(0, 256)
    _call("prctl", _PR_SET_NAME, tag.encode(), 0, 0, 0)
    time.sleep(_STAY_S)
    os._exit(0)


def _call(name: str, *arguments: Any) -> int:
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    function.restype = ctypes.c_long
    passed = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = int(function(*passed))
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
