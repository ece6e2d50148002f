"""The calls the filter refuses, as attempts that are safe to make without it.

Run as a program it makes every attempt for real, each in a child of its own, and prints what the kernel said:

    python system_calls.py MODE UID       MODE: filtered or bare

The arguments are chosen so that, without the filter, the kernel answers something else than the filter would, and
so that nothing happens to the machine when the call goes through: a descriptor of -1, a folder that is missing, a
flag that does not exist.
"""

import ctypes
import dataclasses
import errno
import json
import mmap
import os
import signal
import sys

from deepgym_solution._isolation import seccomp
from deepgym_solution._isolation._syscalls import SYSCALLS

EPERM, ENOSYS, EAFNOSUPPORT = errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT
SELF = "self"  # stands for the attempting process's id
ALL = 0xFFFFFFFF  # flags no kernel knows all of
HIGH = 1 << 32
MISSING = b"/nonexistent/file"

NEEDS_CAPABILITY = (
    "the kernel itself refuses this to a user without capabilities, before it looks at an argument"
)
MAY_BE_ABSENT = "a kernel may be built without it"
GONE = "left the kernel long ago; the filter answers for kernels that still have it"
DEFAULT = seccomp.SeccompPolicy()
UNSAFE = "its child runs on the interpreter's own stack, so it cannot be let through here"


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One refused call; see the module's docstring."""

    name: str
    call: str | int
    arguments: tuple = ()
    refusal: int = EPERM
    # Why the control is not different: for the user without capabilities, or for anybody.
    no_user_control: str = ""
    no_control: str = ""
    policy: seccomp.SeccompPolicy = DEFAULT


def _simple():
    yield Attempt("ptrace", "ptrace", (0, 0, 0, 0))
    yield Attempt("sched_setaffinity", "sched_setaffinity", (0, 8, None))
    yield Attempt("sched_setattr", "sched_setattr", (0, None, 0))
    yield Attempt("sched_setparam", "sched_setparam", (0, None))
    yield Attempt("sched_setscheduler", "sched_setscheduler", (0, 0, None))
    yield Attempt(
        "process_vm_readv", "process_vm_readv", (SELF, None, 0, None, 0, 0), no_control=MAY_BE_ABSENT
    )
    yield Attempt(
        "process_vm_writev", "process_vm_writev", (SELF, None, 0, None, 0, 0), no_control=MAY_BE_ABSENT
    )
    yield Attempt("kcmp", "kcmp", (SELF, SELF, 0, 0, 0))
    yield Attempt("pidfd_getfd", "pidfd_getfd", (-1, 0, 0))
    yield Attempt("mount", "mount", (None, MISSING, None, 0, None))
    yield Attempt("umount2", "umount2", (MISSING, ALL))
    yield Attempt("chroot", "chroot", (MISSING,))
    yield Attempt("open_tree", "open_tree", (-1, b"", ALL))
    yield Attempt("open_tree_attr", "open_tree_attr", (-1, b"", ALL, None, 0))
    yield Attempt("fsconfig", "fsconfig", (-1, ALL, None, None, 0))
    yield Attempt("mount_setattr", "mount_setattr", (-1, b"", ALL, None, 0))
    yield Attempt("unshare", "unshare", (0,))
    yield Attempt("unshare a user namespace", "unshare", (0x10000000,))
    yield Attempt("setns", "setns", (-1, 0))
    yield Attempt("bpf", "bpf", (9999, None, 1 << 20))
    yield Attempt("perf_event_open", "perf_event_open", (None, 0, -1, -1, ALL))
    user_mode_only = 1
    yield Attempt("userfaultfd", "userfaultfd", (user_mode_only,))
    yield Attempt("add_key", "add_key", (None, None, None, 0, 0))
    yield Attempt("request_key", "request_key", (None, None, None, 0))
    yield Attempt("keyctl", "keyctl", (9999,))
    yield Attempt("quotactl", "quotactl", (ALL, MISSING, 0, None))
    yield Attempt("quotactl_fd", "quotactl_fd", (-1, ALL, 0, None))
    yield Attempt("settimeofday", "settimeofday", (1, None))
    yield Attempt("clock_settime", "clock_settime", (9999, None))
    yield Attempt("clock_adjtime", "clock_adjtime", (9999, None))
    yield Attempt("adjtimex", "adjtimex", (1,))
    yield Attempt("iopl", "iopl", (99,))
    yield Attempt("ioperm", "ioperm", (0xFFFFF, 1, 1))
    yield Attempt("modify_ldt", "modify_ldt", (99, None, 0))
    yield Attempt("name_to_handle_at", "name_to_handle_at", (-1, b"", None, None, ALL))
    report_file_ids = 0x200
    yield Attempt("fanotify_init", "fanotify_init", (report_file_ids, 0))
    yield Attempt("fanotify_mark", "fanotify_mark", (-1, ALL, 0, -1, None))
    yield Attempt("move_pages", "move_pages", (0, 0, None, None, None, ALL))
    yield Attempt("vmsplice", "vmsplice", (-1, None, 0, 0))
    yield Attempt("lsm_set_self_attr", "lsm_set_self_attr", (0, None, 0, ALL))


def _with_capabilities():
    calls = {
        "pivot_root": (MISSING, MISSING),
        "move_mount": (-1, b"", -1, b"", ALL),
        "fsopen": (b"tmpfs", ALL),
        "fsmount": (-1, ALL, 0),
        "fspick": (-1, b"", ALL),
        "init_module": (None, 0, None),
        "finit_module": (-1, None, ALL),
        "delete_module": (b"no_such_module", 0),
        "kexec_load": (None, 1 << 20, None, 0),
        "kexec_file_load": (-1, -1, 0, None, ALL),
        "reboot": (0, 0, 0, None),
        "swapon": (MISSING, ALL),
        "swapoff": (MISSING,),
        "acct": (MISSING,),
        "syslog": (100, None, 0),
        "vhangup": (),
        "sethostname": (None, -1),
        "setdomainname": (None, -1),
        "open_by_handle_at": (-1, None, 0),
        "migrate_pages": (SELF, ALL, None, None),
        "lookup_dcookie": (0, None, 0),
    }
    for call, arguments in calls.items():
        yield Attempt(call, call, arguments, no_user_control=NEEDS_CAPABILITY)


def _nonexistent():
    yield Attempt("clone3", "clone3", (None, 0), ENOSYS)
    yield Attempt("openat2", "openat2", (-1, None, None, 0), ENOSYS)
    yield Attempt("memfd_secret", "memfd_secret", (ALL,), ENOSYS, no_control=MAY_BE_ABSENT)
    for call in ("io_uring_setup", "io_uring_enter", "io_uring_register"):
        yield Attempt(call, call, (-1, None), ENOSYS, no_control=MAY_BE_ABSENT)
    yield Attempt("memfd_create", "memfd_create", (None, ALL), ENOSYS)
    yield Attempt("shmget", "shmget", (0, -1, 0o1600), ENOSYS)
    yield Attempt("ustat", "ustat", (0, None), ENOSYS, no_control=MAY_BE_ABSENT)
    yield Attempt("sysfs", "sysfs", (9,), ENOSYS, no_control=MAY_BE_ABSENT)
    gone = (
        "uselib", "_sysctl", "nfsservctl", "create_module", "get_kernel_syms", "query_module", "getpmsg", "putpmsg",
        "afs_syscall", "tuxcall", "security", "vserver", "epoll_ctl_old", "epoll_wait_old",
    )  # fmt: skip
    for call in gone:
        yield Attempt(call, call, (), ENOSYS, no_control=GONE)
    x32 = 0x40000000
    yield Attempt("getpid by its x32 number", x32 | 39, (), ENOSYS, no_control=MAY_BE_ABSENT)


def _judged_by_arguments():
    namespaces = {
        "mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "pid": 0x20000000, "net": 0x40000000
    }  # fmt: skip
    yield Attempt("clone a user namespace", "clone", (0x10000000 | signal.SIGCHLD, None))
    for name, flag in namespaces.items():
        yield Attempt(
            f"clone a {name} namespace",
            "clone",
            (flag | signal.SIGCHLD, None),
            no_user_control=NEEDS_CAPABILITY,
        )
    # What every kernel has; the rest are modules.
    for name, family, kind in (
        ("inet", 2, 1),
        ("inet udp", 2, 2),
        ("netlink", 16, 3),
        ("inet, high half", 2 | HIGH, 1),
    ):
        yield Attempt(f"socket {name}", "socket", (family, kind, 0), EAFNOSUPPORT)
    modules = {
        "ax25": 3, "ipx": 4, "x25": 9, "inet6": 10, "key": 15, "packet": 17, "rds": 21, "llc": 26, "ib": 27, "can": 29,
        "tipc": 30, "bluetooth": 31, "alg": 38, "nfc": 39, "vsock": 40, "kcm": 41, "qipcrtr": 42, "smc": 43, "xdp": 44,
    }  # fmt: skip
    for name, family in modules.items():
        yield Attempt(f"socket {name}", "socket", (family, 2, 0), EAFNOSUPPORT, no_control=MAY_BE_ABSENT)
    inet = seccomp.SeccompPolicy(allow_inet=True)
    yield Attempt("socket udp beside tcp", "socket", (2, 2, 0), EAFNOSUPPORT, policy=inet)
    yield Attempt("socket netlink beside tcp", "socket", (16, 3, 0), EAFNOSUPPORT, policy=inet)
    yield Attempt("socket mptcp beside tcp", "socket", (2, 1, 262), EAFNOSUPPORT, policy=inet)
    yield Attempt("socketpair inet", "socketpair", (2, 1, 0, None), EAFNOSUPPORT)
    for name, code in (
        ("TIOCSTI", 0x5412),
        ("TIOCLINUX", 0x541C),
        ("TIOCSETD", 0x5423),
        ("TIOCSTI, high", 0x5412 | HIGH),
    ):
        yield Attempt(f"ioctl {name}", "ioctl", (-1, code, None))
    yield Attempt("personality without address randomisation", "personality", (0x0040000,))
    for name, mode in (("character device", 0o020666), ("block device", 0o060666), ("set-id file", 0o104755)):
        yield Attempt(f"mknod {name}", "mknod", (MISSING, mode, 0x103))
        yield Attempt(f"mknodat {name}", "mknodat", (-1, MISSING, mode, 0x103))
    for mode in (0o4755, 0o2755):
        yield Attempt(f"chmod {mode:o}", "chmod", (MISSING, mode))
        yield Attempt(f"fchmod {mode:o}", "fchmod", (-1, mode))
        yield Attempt(f"fchmodat {mode:o}", "fchmodat", (-1, MISSING, mode))
        yield Attempt(f"fchmodat2 {mode:o}", "fchmodat2", (-1, MISSING, mode, 0))
        yield Attempt(f"creat {mode:o}", "creat", (MISSING, mode))
        yield Attempt(f"open {mode:o}", "open", (MISSING, os.O_CREAT | os.O_WRONLY, mode))
        yield Attempt(f"openat {mode:o}", "openat", (-1, MISSING, os.O_CREAT | os.O_WRONLY, mode))
        yield Attempt(
            f"openat without a name {mode:o}", "openat", (-1, MISSING, os.O_TMPFILE | os.O_WRONLY, mode)
        )
    no_programs = seccomp.SeccompPolicy(allow_exec=False)
    yield Attempt("execve", "execve", (MISSING, None, None), policy=no_programs)
    yield Attempt("execveat", "execveat", (-1, MISSING, None, None, 0), policy=no_programs)
    no_processes = seccomp.SeccompPolicy(allow_fork=False)
    yield Attempt("fork", "fork", (), policy=no_processes)
    yield Attempt("clone a process", "clone", (signal.SIGCHLD, None), policy=no_processes)
    yield Attempt("vfork", "vfork", (), policy=no_processes, no_control=UNSAFE)


def attempts(machine):
    """All attempts that make sense on this machine."""
    everything = (*_simple(), *_with_capabilities(), *_nonexistent(), *_judged_by_arguments())
    table = SYSCALLS[machine]
    return [a for a in everything if (a.call in table if isinstance(a.call, str) else machine == "x86_64")]


def make(attempt, libc, machine):
    """Make the call and give its errno, 0 when it went through, or minus the signal that ended the child."""
    number = SYSCALLS[machine][attempt.call] if isinstance(attempt.call, str) else attempt.call
    arguments = [ctypes.c_void_p(_plain(value)) for value in attempt.arguments]
    parent = os.getpid()
    result = libc.syscall(ctypes.c_long(number), *arguments)
    code = 0 if result != -1 else ctypes.get_errno()
    if os.getpid() != parent:
        os._exit(0)  # the child of a fork that went through
    return code


def _plain(value):
    if value == SELF:
        return os.getpid()
    if isinstance(value, bytes):
        return ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p).value
    return None if value is None else value & 0xFFFFFFFFFFFFFFFF


def call_by_the_32_bit_entry():
    """getpid() by int 0x80, whose numbers mean other calls than the 64-bit ones."""
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()


def in_a_child(work, *, uid, program):
    """Run work() in a child as a user, behind the filter or bare, and give its small result or minus a signal."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if uid != os.getuid():
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        if program is not None:
            seccomp.install_filter(program)
        os.write(writer, str(work()).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status if status < 0 else int(said)


def main():
    mode, uid = sys.argv[1], int(sys.argv[2])
    machine = seccomp.current_machine()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    outcome = {}
    for attempt in attempts(machine):
        if mode == "bare" and attempt.no_control == UNSAFE:
            continue
        program = seccomp.build_filter(attempt.policy, machine) if mode == "filtered" else None
        outcome[attempt.name] = in_a_child(lambda a=attempt: make(a, libc, machine), uid=uid, program=program)
    if machine == "x86_64":
        program = seccomp.build_filter(seccomp.SeccompPolicy(), machine) if mode == "filtered" else None
        outcome["int 0x80"] = in_a_child(call_by_the_32_bit_entry, uid=uid, program=program)
    json.dump(outcome, sys.stdout)


if __name__ == "__main__":
    main()
