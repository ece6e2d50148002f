"""The violations that the doctor attempts, as one table."""

from __future__ import annotations

import errno
import signal
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from deepgym.doctor.violation import Violation

__all__ = ["HONEST", "VIOLATIONS"]

# Why an attempt may fail without a wall too.
_ONLY_ROOT = "the kernel keeps it for a machine's root"
_KERNEL_MAY_LACK = "kernels may be built without it, or have it switched off"
_MACHINE_DECIDES = "the machine's own settings, or a container around it, may refuse it"

_MISSING = "/nonexistent/file"
_SHM = "/dev/shm"  # noqa: S108 - the sandbox's own, and under a name of its own
_ALL_FLAGS = 0xFFFFFFFF


def _files() -> Iterator[Violation]:
    planted = {
        "home": "a file in the caller's home folder",
        "run": "a file in the machine's folder for running services",
        "tmp": "a file in the machine's /tmp",
        "var_tmp": "a file in the machine's /var/tmp",
        "shm": "a file in the machine's /dev/shm",
    }
    for place, what in planted.items():
        yield Violation(
            f"read-{place.replace('_', '-')}", "files", f"read {what}", "files", "read_planted", (place,),
            evidence="secret", needs=place,
        )  # fmt: skip
    ways = (
        ("read-by-link", "read the caller's file through a symbolic link", "read_by_link", "works"),
        ("read-by-hard-link", "read the caller's file through a hard link", "read_by_hard_link", "works"),
        ("read-through-proc", "leave the file system through /proc/PID/root", "read_through_proc", "works"),
        ("read-judges-folder", "read the verifier's files", "read_judges_folder", "works"),
    )
    for name, what, function, without in ways:
        yield Violation(name, "files", what, "files", function, evidence="secret", without=without)
    yield Violation("read-packages", "files", "read how deepgym judges", "files", "read_packages")
    yield Violation("read-user-names", "files", "read the machine's user names", "files", "read_user_names")
    yield Violation(
        "meet-neighbour", "files", "pass a word to the next solution in /tmp or /dev/shm", "files", "meet_neighbour",
        repeat=2,
    )  # fmt: skip


def _writing() -> Iterator[Violation]:
    def row(name: str, what: str, function: str, *arguments: Any, **options: Any) -> Violation:
        return Violation(name, "writing", what, "files", function, arguments, **options)

    yield row("write-folder", "make a file in the caller's folder", "write_folder")
    yield row("overwrite-file", "overwrite a file of the caller's", "overwrite_planted")
    yield row(
        "write-interpreter", "make a file in the interpreter's folders", "write_interpreter", without=_MACHINE_DECIDES
    )  # fmt: skip
    yield row("write-system", "make a file in /usr, /etc or /", "write_system", without=_ONLY_ROOT)
    yield row("open-kernel-switches", "change /proc/sys", "open_kernel_switches", without=_ONLY_ROOT)
    yield row("open-sysrq", "use /proc/sysrq-trigger", "open_sysrq", without=_ONLY_ROOT)
    yield row(
        "open-control-groups",
        "move itself to another control group",
        "open_control_groups",
        without=_ONLY_ROOT,
    )
    yield row("open-devices", "open the machine's devices", "open_devices", without=_ONLY_ROOT)
    yield row("make-device", "make a device node", "make_device", without=_ONLY_ROOT)
    yield row("set-user-id", "make a setuid file", "set_id_bit", 0o4000)
    yield row("set-group-id", "make a setgid file", "set_id_bit", 0o2000)
    yield row("file-capability", "give a file a capability", "set_file_capability", without=_ONLY_ROOT)


def _environment() -> Iterator[Violation]:
    rows = (
        ("own-environment", "find the caller's variables in its own environment", "read_own_environment"),
        ("other-environments", "read /proc/PID/environ of every process", "read_environments"),
        ("command-lines", "read /proc/PID/cmdline of every process", "read_command_lines"),
        ("inherited-secret", "read a file that the caller has open", "read_inherited"),
    )
    for name, what, function in rows:
        yield Violation(name, "environment", what, "processes", function, evidence="secret")
    yield Violation(
        "more-descriptors", "environment", "hold descriptors beyond its own", "processes", "count_descriptors", (4,)
    )  # fmt: skip


def _processes() -> Iterator[Violation]:
    def row(name: str, what: str, function: str, *arguments: Any, **options: Any) -> Violation:
        return Violation(name, "processes", what, "processes", function, arguments, **options)

    yield row("kill", "kill a process of the caller's", "signal_victim", int(signal.SIGTERM), victim=True)
    yield row("stop", "stop a process of the caller's", "signal_victim", int(signal.SIGSTOP), victim=True)
    yield row("kill-by-pidfd", "kill a process of the caller's by pidfd", "signal_by_pidfd", victim=True)
    yield row(
        "trace", "trace a process of the caller's", "trace_victim", victim=True, without=_MACHINE_DECIDES
    )
    yield row("trace-child", "trace its own child", "trace_child", without=_MACHINE_DECIDES)
    yield row(
        "read-memory", "read another process's memory by /proc/PID/mem", "read_memory",
        victim=True, evidence="secret", without=_MACHINE_DECIDES,
    )  # fmt: skip
    yield row(
        "process-vm-readv", "read memory by process_vm_readv", "read_by_process_vm", without=_KERNEL_MAY_LACK
    )
    yield row(
        "pidfd-getfd", "take a descriptor out of a process", "take_descriptor", without=_KERNEL_MAY_LACK
    )


def _network() -> Iterator[Violation]:
    listeners = {
        "tcp": ("127.0.0.1", "works"),
        "udp": ("127.0.0.1 by UDP", "works"),
        "tcp6": ("::1", "works"),
        "unix": ("a socket file", "works"),
        "abstract": ("an abstract socket", "works"),
    }
    for name, (where, without) in listeners.items():
        yield Violation(
            f"connect-{name}", "network", f"reach the caller's service on {where}", "network", "connect", (name,),
            without=without, needs=name,
        )  # fmt: skip
    sockets = {
        "inet": ("IPv4", 2, 1, 0, "works"),
        "inet6": ("IPv6", 10, 1, 0, _KERNEL_MAY_LACK),
        "udp": ("UDP", 2, 2, 0, "works"),
        "raw": ("raw IP", 2, 3, 1, _ONLY_ROOT),
        "packet": ("raw packets", 17, 3, 768, _ONLY_ROOT),
        "netlink": ("netlink", 16, 3, 0, "works"),
        "vsock": ("the hypervisor (vsock)", 40, 1, 0, _KERNEL_MAY_LACK),
        "crypto": ("the kernel's ciphers (AF_ALG)", 38, 5, 0, _KERNEL_MAY_LACK),
    }
    for name, (what, family, kind, protocol, without) in sockets.items():
        yield Violation(
            f"socket-{name}", "network", f"make a socket for {what}", "network", "make_socket",
            (family, kind, protocol), without=without,
        )  # fmt: skip
    yield Violation(
        "socket-pair", "network", "make a pair of inet sockets", "network", "make_pair",
        without="the kernel has pairs of unix sockets only",
    )  # fmt: skip


# name: (what, arguments, why it may fail without a wall). The arguments are such that the kernel does nothing with them
# but says something else than the wall does.
_CALLS: dict[str, tuple[str, list[Any], str]] = {
    "mount": ("mount a file system", [0, _MISSING, 0, 0, 0], _MACHINE_DECIDES),
    "umount2": ("unmount one", [_MISSING, _ALL_FLAGS], _MACHINE_DECIDES),
    "mount_setattr": ("remount with other rights", [-1, "", _ALL_FLAGS, 0, 0], _KERNEL_MAY_LACK),
    "open_tree": ("copy a mount", [-1, "", _ALL_FLAGS], _KERNEL_MAY_LACK),
    "fsopen": ("prepare a file system", ["tmpfs", _ALL_FLAGS], _ONLY_ROOT),
    "pivot_root": ("change the root", [_MISSING, _MISSING], _ONLY_ROOT),
    "chroot": ("change its own root", [_MISSING], _MACHINE_DECIDES),
    "setns": ("enter another namespace", [-1, 0], _MACHINE_DECIDES),
    "bpf": ("load a BPF program", [9999, 0, 1 << 20], _KERNEL_MAY_LACK),
    "perf_event_open": ("watch the processor", [0, 0, -1, -1, _ALL_FLAGS], _KERNEL_MAY_LACK),
    "userfaultfd": ("handle page faults", [1], _KERNEL_MAY_LACK),
    "io_uring_setup": ("make an io_uring", [-1, 0], _KERNEL_MAY_LACK),
    "add_key": ("add to the kernel's keyring", [0, 0, 0, 0, 0], _KERNEL_MAY_LACK),
    "request_key": ("ask the kernel's keyring", [0, 0, 0, 0], _KERNEL_MAY_LACK),
    "keyctl": ("use the kernel's keyring", [9999], _KERNEL_MAY_LACK),
    "init_module": ("load a kernel module", [0, 0, 0], _ONLY_ROOT),
    "finit_module": ("load a kernel module from a file", [-1, 0, _ALL_FLAGS], _ONLY_ROOT),
    "delete_module": ("remove a kernel module", ["no_such_module", 0], _ONLY_ROOT),
    "kexec_load": ("load another kernel", [0, 1 << 20, 0, 0], _ONLY_ROOT),
    "reboot": ("reboot the machine", [0, 0, 0, 0], _ONLY_ROOT),
    "swapon": ("add swap space", [_MISSING, _ALL_FLAGS], _ONLY_ROOT),
    "acct": ("account for processes in a file", [_MISSING], _ONLY_ROOT),
    "quotactl": ("change quotas", [_ALL_FLAGS, _MISSING, 0, 0], _KERNEL_MAY_LACK),
    "syslog": ("read the kernel's log", [100, 0, 0], _ONLY_ROOT),
    "sethostname": ("rename the machine", [0, -1], _ONLY_ROOT),
    "settimeofday": ("set the clock", [1, 0], _MACHINE_DECIDES),
    "name_to_handle_at": ("make a handle of a file", [-1, "", 0, 0, _ALL_FLAGS], _MACHINE_DECIDES),
    "open_by_handle_at": ("open a file by its handle", [-1, 0, 0], _ONLY_ROOT),
    "fanotify_init": ("watch the file system", [0x200, 0], _KERNEL_MAY_LACK),
    "iopl": ("drive the hardware's ports", [99], _KERNEL_MAY_LACK),
    "personality": ("switch off address randomisation", [0x0040000], _MACHINE_DECIDES),
}


def _kernel() -> Iterator[Violation]:
    def row(name: str, what: str, function: str, *arguments: Any, **options: Any) -> Violation:
        return Violation(name, "kernel", what, "kernel", function, arguments, **options)

    yield row("unshare-user", "make a user namespace (unshare)", "unshare_user", without=_MACHINE_DECIDES)
    yield row("clone-user", "make a user namespace (clone)", "clone_user", without=_MACHINE_DECIDES)
    for name, (what, arguments, without) in _CALLS.items():
        yield row(
            f"call-{name.replace('_', '-')}", f"{what} ({name})", "system_call", name, errno.EPERM, arguments,
            without=without,
        )  # fmt: skip
    yield row("x32-numbers", "call by the x32 numbers", "use_x32", without=_KERNEL_MAY_LACK)
    yield row(
        "32-bit-entry", "call by the 32-bit entry", "use_32_bit_entry", may_end=True, without=_KERNEL_MAY_LACK
    )  # fmt: skip


def _privileges() -> Iterator[Violation]:
    rows = (
        ("become-root", "become user 0", "become_root", _ONLY_ROOT),
        ("be-machines-root", "be the machine's root behind its own number", "be_machines_root", _ONLY_ROOT),
        ("capabilities", "hold a capability", "hold_capabilities", _ONLY_ROOT),
        ("setuid-programs", "gain rights by a setuid program", "gain_by_programs", _MACHINE_DECIDES),
        ("priority", "raise its own priority", "raise_priority", _ONLY_ROOT),
        ("realtime", "become a real-time process", "become_realtime", _ONLY_ROOT),
        ("raise-limit", "raise its own limits", "raise_limit", _ONLY_ROOT),
    )
    for name, what, function, without in rows:
        yield Violation(name, "privileges", what, "processes", function, without=without)


def _programs() -> Iterator[Violation]:
    rows = (
        ("program", "start a program", "run_program", "works"),
        ("program-by-shell", "start a program by os.system", "run_program_by_shell", "works"),
        ("program-by-spawn", "start a program by posix_spawn", "run_program_by_spawn", "works"),
        ("program-from-memory", "start a program from memory", "run_program_from_memory", _MACHINE_DECIDES),
        (
            "controlling-terminal",
            "open the caller's terminal",
            "open_terminal",
            "the control has no terminal",
        ),
        ("make-terminal", "make a terminal", "make_terminal", _MACHINE_DECIDES),
    )
    for name, what, function, without in rows:
        yield Violation(name, "programs", what, "processes", function, without=without)
    yield Violation(
        "type-into-terminal",
        "programs",
        "type into the caller's terminal (TIOCSTI)",
        "kernel",
        "inject_input",
    )


def _resources() -> Iterator[Violation]:
    def row(name: str, what: str, function: str, *arguments: Any, **options: Any) -> Violation:
        return Violation(name, "resources", what, "resources", function, arguments, may_end=True, **options)

    yield row("memory", "more memory than allowed", "fill_memory", 512, limits={"memory_mb": 256})
    yield row(
        "memory-together", "more memory than allowed, in several processes", "fill_memory_together", 3, 100,
        limits={"memory_mb": 200},
    )  # fmt: skip
    yield row("processes", "more processes than allowed", "fork_many", 48, limits={"processes": 16})
    yield row("threads", "more threads than allowed", "start_threads", 48, limits={"processes": 16})
    yield row("open-files", "more open files than allowed", "open_many", 100, limits={"open_files": 64})
    yield row(
        "file-size", "a larger file than allowed", "write_giant", 4, limits={"file_size_mb": 1, "output_mb": 1}
    )  # fmt: skip
    yield row("disk", "more in /tmp than allowed", "fill_disk", "", 16, limits={"tmp_mb": 4})
    yield row("shared-memory", "more in /dev/shm than allowed", "fill_disk", _SHM, 16, limits={"tmp_mb": 4})
    yield row("inodes", "more files than allowed", "make_many_files", 20_500)
    yield row("output", "more output than allowed", "print_much", 4, limits={"output_mb": 1})
    yield row("cpu", "more CPU time than allowed", "burn_cpu", 1.4, limits={"cpu_time_s": 1})
    yield row("time", "more time than allowed", "sleep_on", 1.5, limits={"case_timeout": 0.5})
    yield row("lock-memory", "lock memory against swapping", "lock_memory", without=_MACHINE_DECIDES)
    yield Violation(
        "core-dump", "resources", "leave its memory in a core file", "processes", "dump_core", without=_MACHINE_DECIDES
    )  # fmt: skip


def _leftovers() -> Iterator[Violation]:
    rows = (
        ("leave-daemon", "leave a daemon behind", "processes", "leave_daemon"),
        ("leave-child", "leave a child behind that holds its output", "processes", "leave_child"),
        ("leave-shared-memory", "leave a System V segment behind", "processes", "leave_shared_memory"),
        ("leave-file", "leave a file in the machine's /tmp", "files", "leave_in_tmp"),
    )
    for name, what, module, function in rows:
        yield Violation(name, "leftovers", what, module, function, evidence="trace")


HONEST = Violation("honest", "verdict", "answer rightly", "verdicts", "honest", evidence="score")


def _verdict() -> Iterator[Violation]:
    rows = (
        ("equal-to-all", "return an object that equals everything", "equal_to_all"),
        ("tampered-int", "return a number with its own idea of equality", "tampered_int"),
        ("not-a-number", "return NaN", "not_a_number"),
        ("print-verdict", "print a verdict", "print_verdict"),
        ("write-everywhere", "write a verdict into every descriptor", "write_everywhere"),
        ("forge-frames", "forge replies, and the news that it was never started", "forge_frames"),
        ("exit-cleanly", "exit with status 0", "exit_cleanly"),
        ("raise-exit", "raise SystemExit(0)", "raise_exit"),
        ("raise-launch-error", "raise what says that the machine failed", "raise_launch_error"),
        ("kill-itself", "kill its own process", "kill_itself"),
        ("hang", "never answer", "hang"),
        ("flood", "answer with more than fits", "flood"),
        ("nest-deeply", "answer with endless nesting", "nest_deeply"),
    )
    for name, what, function in rows:
        yield Violation(name, "verdict", what, "verdicts", function, evidence="score", may_end=True)


_JUDGES = (
    "read-home", "read-tmp", "read-through-proc", "overwrite-file", "write-folder", "write-interpreter",
    "own-environment", "other-environments", "inherited-secret", "kill", "read-memory", "connect-tcp", "connect-udp",
    "connect-unix", "connect-abstract", "become-root", "be-machines-root", "unshare-user", "call-mount", "call-bpf",
    "leave-daemon", "leave-file",
)  # fmt: skip


def _judge(rows: dict[str, Violation]) -> Iterator[Violation]:
    """The same attempts, made by a verifier."""
    for name in _JUDGES:
        yield replace(rows[name], name=f"judge-{name}", kind="judge", by="judge")


def _table() -> tuple[Violation, ...]:
    groups = (
        _files(), _writing(), _environment(), _processes(), _network(), _kernel(), _privileges(), _programs(),
        _resources(), _leftovers(), _verdict(),
    )  # fmt: skip
    rows = {row.name: row for group in groups for row in group}
    return (*rows.values(), *_judge(rows))


VIOLATIONS: tuple[Violation, ...] = _table()
