"""The system-call filter of a sealed solution: a policy in, a BPF program out, and the two calls that install
it.

Theory of operation. The filter is the last thing put on a child before the solution's first line; it can
never be taken off again and every descendant inherits it. It closes what namespaces leave open: the
kernel's own large and rarely used interfaces (bpf, io_uring, keyrings, userfaultfd), the ways back into a
namespace (unshare, setns, mount), other processes' memory, terminals, and every socket family but unix.

The program first kills callers of a foreign architecture (on x86-64 the 32-bit entry, whose numbers mean
other calls), then finds the number in a binary tree of ranges. A call is allowed, refused, or judged by its
arguments. Only arguments held in registers can be judged: another thread may change what a pointer points
to after the check. So calls that hide their meaning behind a pointer (clone3, openat2, io_uring) are
answered with ENOSYS, on which C libraries fall back to the older call. ENOSYS is also the answer to every
number younger than the table: a call nobody has thought about is a call that does not exist.

The default is to allow, so a forgotten call fails open, and honest programs do not break on an odd one; the
namespaces and the missing capabilities stand behind it. Kernels since 5.11 remember which numbers the
program allows whatever the arguments, so those calls do not run it at all.
"""

import ctypes
import errno
import fcntl
import functools
import os
import struct
from dataclasses import dataclass

from deepgym_solution._isolation import _bpf
from deepgym_solution._isolation._syscalls import SYSCALLS

_ALLOW = _bpf.returning(0x7FFF0000)  # SECCOMP_RET_ALLOW
_KILL = _bpf.returning(0x80000000)  # SECCOMP_RET_KILL_PROCESS
_ASK = _bpf.returning(0x7FC00000)  # SECCOMP_RET_USER_NOTIF: the holder of the listener decides


def _refuse(number: int) -> _bpf.Block:
    """Answer the call with this errno (SECCOMP_RET_ERRNO)."""
    return _bpf.returning(0x00050000 | number)


_EPERM = _refuse(errno.EPERM)
_ENOSYS = _refuse(errno.ENOSYS)
# What a kernel without the family says, which programs that look for IPv6 or netlink expect.
_EAFNOSUPPORT = _refuse(errno.EAFNOSUPPORT)

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# x86-64 has a second set of numbers, x32, marked by bit 30; before Linux 5.4 numbers from 512 on reached its
# handlers without that bit. Both lie above the table and are refused with all else up there.
MACHINES = frozenset(_AUDIT_ARCH)

_REFUSED_EPERM = """
    ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd
    mount umount2 pivot_root chroot
    move_mount open_tree open_tree_attr fsopen fsconfig fsmount fspick mount_setattr
    unshare setns
    bpf perf_event_open userfaultfd
    add_key request_key keyctl
    init_module finit_module delete_module kexec_load kexec_file_load reboot
    swapon swapoff acct quotactl quotactl_fd syslog vhangup sethostname setdomainname
    settimeofday clock_settime clock_adjtime adjtimex
    iopl ioperm modify_ldt
    name_to_handle_at open_by_handle_at fanotify_init fanotify_mark lookup_dcookie
    migrate_pages move_pages vmsplice lsm_set_self_attr
"""
# Calls for which there is an older way, and calls that left the kernel long ago.
_REFUSED_ENOSYS = """
    clone3 openat2 memfd_secret io_uring_setup io_uring_enter io_uring_register
    uselib ustat sysfs _sysctl nfsservctl create_module get_kernel_syms query_module
    getpmsg putpmsg afs_syscall tuxcall security vserver epoll_ctl_old epoll_wait_old
"""

# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. CLONE_NEWTIME shares its bit with the exit
# signal and so exists only for clone3 and unshare.
_CLONE_NEW_ANY = 0x7E020000
_CLONE_THREAD = 0x00010000

# asm-generic/ioctls.h: push a byte into a terminal's input; the console's own tricks; load a line discipline.
_TERMINAL_REQUESTS = (0x5412, 0x541C, 0x5423)

_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
_SOCK_TYPE_MASK, _SOCK_STREAM = 0xF, 1
_IPPROTO_DEFAULT, _IPPROTO_TCP = 0, 6

# O_CREAT, and the bit of O_TMPFILE that is its own: without them the mode is whatever the register held.
_O_CREATES = 0x40 | 0x400000
_SET_ID_BITS = 0o6000
# Of the types in a mode these bits leave 0x2000 for character and block devices alone.
_DEVICE_MASK, _DEVICE_BITS = 0xB000, 0x2000

_LOOSE_MEMORY = ("memfd_create", "shmget")
_PLACEMENT = ("sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler")

# The persona of every Linux program, and the question for it.
_PERSONALITIES = (0, 0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class SeccompPolicy:
    """What the filter lets a process do beyond computing, files and unix sockets.

    Attributes:
        allow_inet: TCP sockets over IPv4 and IPv6. Where they lead is the network namespace's affair.
        allow_exec: Start programs (execve). A filter put on before the first program needs it.
        allow_fork: Start processes. Threads are always allowed.
        ask_exec: Whoever holds the listener decides on each start of a program; see `install_asking_filter`. It
            lets a supervisor allow the first one, which is the solution itself, and no other.
        allow_loose_memory: Memory that belongs to no process: files without a name and System V segments. Only a
            control group can count it, so no other limit on memory holds where it is allowed.
        allow_placement: Choose the cores that its threads run on, and how they are scheduled. Threads that crowd on
            one core, or let all others go first, wait of their own making, and their clocks call that contention.
    """

    allow_inet: bool = False
    allow_exec: bool = True
    allow_fork: bool = True
    ask_exec: bool = False
    allow_loose_memory: bool = False
    allow_placement: bool = False


def current_machine() -> str | None:
    """The name of this machine in `MACHINES`, or None when the filter does not know it."""
    machine = os.uname().machine
    # A 32-bit interpreter on a 64-bit kernel would be the foreign architecture that the filter kills.
    return machine if machine in MACHINES and struct.calcsize("P") == 8 else None


def build_filter(policy: SeccompPolicy, machine: str) -> bytes:
    """The program for a policy, as `install_filter` and bwrap's `--seccomp` take it.

    Args:
        policy: What to allow.
        machine: One of `MACHINES`; see `current_machine`.

    Raises:
        ValueError: There is no table of system calls for the machine.
    """
    if machine not in MACHINES:
        raise ValueError(
            f"no system-call filter for machine {machine!r}: it knows {', '.join(sorted(MACHINES))}"
        )
    numbers = SYSCALLS[machine]
    blocks = {numbers[name]: block for name, block in _rules(policy).items() if name in numbers}
    tree = _search_tree(_ranges(blocks, max(numbers.values())))
    native = _bpf.when(_bpf.EQUAL, _AUDIT_ARCH[machine], _bpf.with_number(tree), _KILL)
    return _bpf.encode(_bpf.with_arch(native))


def prepare_filter(program: bytes) -> None:
    """Do ahead what `install_filter` need not do in a freshly forked child.

    There every page that is touched is copied first, which costs more than the filter itself.

    Args:
        program: What `build_filter` returned; the same will be given to `install_filter`.
    """
    _kernel_argument(program)
    _prctl(_PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)


def install_filter(program: bytes) -> None:
    """Put the filter on every thread of this process, for good.

    It also sets no_new_privs, without which the kernel takes filters from root alone.

    Args:
        program: What `build_filter` returned.

    Raises:
        OSError: The kernel refused; nothing was installed. ENOSYS or EINVAL: it was built without filters.
    """
    argument = _kernel_argument(program)
    if _prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_NO_NEW_PRIVS) was refused")
    result = _syscall(_SECCOMP, _SECCOMP_SET_MODE_FILTER, _SECCOMP_FILTER_FLAG_TSYNC, ctypes.byref(argument))
    if result < 0:
        raise OSError(ctypes.get_errno(), "the kernel refused the system-call filter")
    if result > 0:
        # The number of a thread that already has a filter of its own, which cannot be replaced.
        raise OSError(errno.EBUSY, f"thread {result} has a system-call filter of its own")


def install_asking_filter(program: bytes) -> int:
    """Put a filter with `ask_exec` on this single-threaded process.

    Args:
        program: What `build_filter` returned.

    Returns:
        The listener: a descriptor to hand to the supervisor, which answers with `answer_exec`.

    Raises:
        OSError: The kernel refused; nothing was installed.
    """
    argument = _kernel_argument(program)
    if _prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_NO_NEW_PRIVS) was refused")
    flags = _SECCOMP_FILTER_FLAG_NEW_LISTENER
    result = _syscall(_SECCOMP, _SECCOMP_SET_MODE_FILTER, flags, ctypes.byref(argument))
    if result < 0:
        raise OSError(ctypes.get_errno(), "the kernel refused the system-call filter")
    return int(result)


def answer_exec(listener: int, *, allow: bool) -> None:
    """Take one waiting question from a listener and answer it.

    Args:
        listener: What `install_asking_filter` returned in the supervised process.
        allow: Let the program start; else the call fails with EPERM.

    Raises:
        OSError: The asking process is gone.
    """
    question = bytearray(_NOTIFICATION_BYTES)
    fcntl.ioctl(listener, _NOTIFICATION_RECEIVE, question)
    number = int.from_bytes(question[:8], "little")
    answer = struct.pack(
        "<QqiI", number, 0, 0 if allow else -errno.EPERM, _NOTIFICATION_CONTINUE if allow else 0
    )
    fcntl.ioctl(listener, _NOTIFICATION_SEND, answer)


_PR_SET_NO_NEW_PRIVS, _PR_GET_NO_NEW_PRIVS = 38, 39
# struct seccomp_notif: id, pid, flags, then struct seccomp_data; the two requests carry their argument's size.
_NOTIFICATION_BYTES = 80
_NOTIFICATION_RECEIVE, _NOTIFICATION_SEND = 0xC0502100, 0xC0182101
_NOTIFICATION_CONTINUE = 1
_SECCOMP_SET_MODE_FILTER = 1
_SECCOMP_FILTER_FLAG_TSYNC = 1
_SECCOMP_FILTER_FLAG_NEW_LISTENER = 8
_INSTRUCTION_BYTES = 8


class _FilterProgram(ctypes.Structure):
    """The kernel's struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


# Looked up at import: the child that installs the filter may have no libraries left to search.
_libc = ctypes.CDLL(None, use_errno=True)
_prctl = _libc.prctl
# Variadic in C: without types, a pointer or a flag would be passed as an int.
_prctl.argtypes = (ctypes.c_int, *(ctypes.c_ulong,) * 4)
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long
_syscall.argtypes = (ctypes.c_long, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_void_p)
# 0 (never called) on machines whose filter build_filter() refuses to build.
_SECCOMP = SYSCALLS.get(os.uname().machine, {}).get("seccomp", 0)


@functools.lru_cache(maxsize=8)
def _kernel_argument(program: bytes) -> _FilterProgram:
    return _FilterProgram(len(program) // _INSTRUCTION_BYTES, program)


def _rules(policy: SeccompPolicy) -> dict[str, _bpf.Block]:
    """What happens to each call that is not simply allowed."""
    rules = dict.fromkeys(_REFUSED_EPERM.split(), _EPERM)
    rules |= dict.fromkeys(_REFUSED_ENOSYS.split(), _ENOSYS)
    rules |= {
        "clone": _clone_rule(policy),
        "socket": _socket_rule(policy),
        "socketpair": _bpf.with_argument(0, _bpf.when(_bpf.EQUAL, _AF_UNIX, _ALLOW, _EAFNOSUPPORT)),
        "ioctl": _bpf.with_argument(1, _bpf.when_any_of(_TERMINAL_REQUESTS, _EPERM, _ALLOW)),
        "personality": _bpf.with_argument(0, _bpf.when_any_of(_PERSONALITIES, _ALLOW, _EPERM)),
        "open": _open_rule(flags_index=1, mode_index=2),
        "openat": _open_rule(flags_index=2, mode_index=3),
        "creat": _mode_rule(1),
        "chmod": _mode_rule(1),
        "fchmod": _mode_rule(1),
        "fchmodat": _mode_rule(2),
        "fchmodat2": _mode_rule(2),
        "mknod": _node_rule(1),
        "mknodat": _node_rule(2),
    }
    if policy.ask_exec:
        rules |= {"execve": _ASK, "execveat": _ASK}
    elif not policy.allow_exec:
        rules |= {"execve": _EPERM, "execveat": _EPERM}
    if not policy.allow_loose_memory:
        rules |= dict.fromkeys(_LOOSE_MEMORY, _ENOSYS)
    if not policy.allow_placement:
        rules |= dict.fromkeys(_PLACEMENT, _EPERM)
    if not policy.allow_fork:
        rules |= {"fork": _EPERM, "vfork": _EPERM}
    return rules


def _clone_rule(policy: SeccompPolicy) -> _bpf.Block:
    """No new namespaces; only threads when processes are not allowed."""
    allowed = _ALLOW if policy.allow_fork else _bpf.when(_bpf.ANY_BIT, _CLONE_THREAD, _ALLOW, _EPERM)
    return _bpf.with_argument(0, _bpf.when(_bpf.ANY_BIT, _CLONE_NEW_ANY, _EPERM, allowed))


def _socket_rule(policy: SeccompPolicy) -> _bpf.Block:
    """Unix sockets, and plain TCP when the policy has it (no raw, UDP, SCTP or MPTCP)."""
    others = _EAFNOSUPPORT
    if policy.allow_inet:
        protocol = _bpf.with_argument(
            2, _bpf.when_any_of((_IPPROTO_DEFAULT, _IPPROTO_TCP), _ALLOW, _EAFNOSUPPORT)
        )
        stream = _bpf.when(_bpf.EQUAL, _SOCK_STREAM, protocol, _EAFNOSUPPORT)
        others = _bpf.when_any_of(
            (_AF_INET, _AF_INET6),
            _bpf.with_argument(1, _bpf.masked(_SOCK_TYPE_MASK, stream)),
            others,
        )
    return _bpf.with_argument(0, _bpf.when(_bpf.EQUAL, _AF_UNIX, _ALLOW, others))


def _open_rule(*, flags_index: int, mode_index: int) -> _bpf.Block:
    """No file may be born setuid or setgid: the folder it is left in may outlive the sandbox."""
    return _bpf.with_argument(
        flags_index, _bpf.when(_bpf.ANY_BIT, _O_CREATES, _mode_rule(mode_index), _ALLOW)
    )


def _mode_rule(index: int) -> _bpf.Block:
    return _bpf.with_argument(index, _bpf.when(_bpf.ANY_BIT, _SET_ID_BITS, _EPERM, _ALLOW))


def _node_rule(index: int) -> _bpf.Block:
    """FIFOs, sockets and plain files may be made; devices and set-id files may not."""
    device = _bpf.masked(_DEVICE_MASK, _bpf.when(_bpf.EQUAL, _DEVICE_BITS, _EPERM, _ALLOW))
    return _bpf.with_argument(index, _bpf.when(_bpf.ANY_BIT, _SET_ID_BITS, _EPERM, device))


def _ranges(blocks: dict[int, _bpf.Block], highest: int) -> list[tuple[int, _bpf.Block]]:
    """All numbers from 0 up, as (first number, what happens from there on), neighbours that agree merged."""
    ranges: list[tuple[int, _bpf.Block]] = []
    for number in range(highest + 1):
        block = blocks.get(number, _ALLOW)
        if not ranges or ranges[-1][1] != block:
            ranges.append((number, block))
    ranges.append((highest + 1, _ENOSYS))
    return ranges


def _search_tree(ranges: list[tuple[int, _bpf.Block]]) -> _bpf.Block:
    """A binary search for the loaded number."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below, from_here = _search_tree(ranges[:middle]), _search_tree(ranges[middle:])
    return _bpf.when(_bpf.AT_LEAST, ranges[middle][0], from_here, below)
