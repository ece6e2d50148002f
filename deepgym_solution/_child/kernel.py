"""Thin calls into the Linux kernel that the standard library has no name for.

Everything here raises OSError with the call's name. Nothing here decides anything.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import signal
from collections.abc import Iterable, Sequence

CLONE_NEWNS = 0x0002_0000
CLONE_NEWCGROUP = 0x0200_0000
CLONE_NEWUTS = 0x0400_0000
CLONE_NEWIPC = 0x0800_0000
CLONE_NEWUSER = 0x1000_0000
CLONE_NEWPID = 0x2000_0000
CLONE_NEWNET = 0x4000_0000
CLONE_PARENT = 0x0000_8000
_CLONE_CHILD_SETTID = 0x0100_0000

MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_BIND, MS_REC = 2, 4, 8, 4096, 16384

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_CHILD_SUBREAPER = 36
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_LINUX_CAPABILITY_VERSION_3 = 0x2008_0522
_LAST_CAP = 63

_SYS_CLONE = {"x86_64": 56, "aarch64": 220}
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}
# Where glibc keeps the kernel's thread id inside `struct pthread`; checked against gettid() before it is used.
_TID_OFFSET = {"x86_64": 720}
_MACHINE = platform.machine()

# PyDLL keeps the GIL for the whole call: between clone and the child's first line no other Python thread may run.
_held = ctypes.PyDLL(None, use_errno=True)
_libc = ctypes.CDLL(None, use_errno=True)
_held.syscall.restype = ctypes.c_long
_libc.syscall.restype = ctypes.c_long
_libc.mount.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p)
_libc.prctl.argtypes = (ctypes.c_int, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong)


def _fail(call: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"{call}: {os.strerror(code)}")


def _tid_address() -> int:
    """Where to have the kernel write the child's thread id, as libc's own fork does; 0 when not known for sure."""
    offset = _TID_OFFSET.get(_MACHINE)
    if offset is None or platform.libc_ver()[0] != "glibc":
        return 0
    _held.pthread_self.restype = ctypes.c_ulong
    address = int(_held.pthread_self()) + offset
    if ctypes.c_int.from_address(address).value != _held.gettid():
        return 0
    return address


def clone(flags: int) -> int:
    """Fork into new namespaces: 0 in the child, the child's pid in the parent.

    One clone instead of fork, unshare and fork again. Python's own hooks around fork do not run: they look after other
    threads and reseed `random`, and each page that they touch in the child is copied. So the caller must have a single
    thread, and the child must seed `random` itself.

    Raises:
        OSError: The kernel refused (no namespaces allowed, process limit reached).
    """
    tid = _tid_address()
    if tid:
        flags |= _CLONE_CHILD_SETTID
    if _MACHINE == "aarch64":  # the order of the last two arguments differs
        pid = _held.syscall(_SYS_CLONE[_MACHINE], flags | signal.SIGCHLD, 0, 0, 0, ctypes.c_ulong(tid))
    else:
        pid = _held.syscall(_SYS_CLONE[_MACHINE], flags | signal.SIGCHLD, 0, 0, ctypes.c_ulong(tid), 0)
    if pid < 0:
        raise _fail("clone")
    return int(pid)


def can_clone() -> bool:
    """Whether this machine's clone number is known."""
    return _MACHINE in _SYS_CLONE


def mount(source: str, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Attach a filesystem, as the system call of that name does."""
    kind_bytes = kind.encode() if kind is not None else None
    if _libc.mount(source.encode(), target.encode(), kind_bytes, flags, data.encode() or None) != 0:
        raise _fail(f"mount {kind or 'bind'} on {target}")


def prctl(option: int, value: int, *, what: str) -> None:
    """Set one property of this process."""
    if _libc.prctl(option, value, 0, 0, 0) != 0:
        raise _fail(what)


def die_with_parent() -> None:
    """Be killed when the process that forked this one ends."""
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, what="set the parent death signal")


def become_reaper() -> None:
    """Have processes whose parent ended become this one's children, so that it can wait for all of them."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1, what="set child subreaper")


def unshare_network() -> None:
    """Take a network namespace of this process's own; needs CAP_SYS_ADMIN.

    Raises:
        OSError: The kernel refused.
    """
    if _libc.unshare(CLONE_NEWNET) != 0:
        raise _fail("unshare the network")


def set_dumpable(value: bool) -> None:
    """Whether processes of the same user may look into this one (and its /proc files are its own)."""
    prctl(_PR_SET_DUMPABLE, int(value), what="set dumpable")


def no_new_privileges() -> None:
    """No program started from here on gains anything from setuid bits or file capabilities."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1, what="set no_new_privs")


def drop_capabilities() -> None:
    """Give up every capability, also for programs started later.

    Raises:
        OSError: The kernel refused to clear the sets.
    """
    _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    for capability in range(_LAST_CAP + 1):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # past the kernel's last capability, or none to drop with
    header = (ctypes.c_uint32 * 2)(_LINUX_CAPABILITY_VERSION_3, 0)
    empty = (ctypes.c_uint32 * 6)()
    if _libc.syscall(_SYS_CAPSET[_MACHINE], ctypes.byref(header), ctypes.byref(empty)) != 0:
        raise _fail("capset")


def become(uid: int, gid: int) -> None:
    """Change to another user for good, with no groups."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


def keep_only(descriptors: Iterable[int]) -> None:
    """Close every descriptor but these."""
    at = 0
    for fd in sorted(set(descriptors)):
        if fd > at:
            os.closerange(at, fd)
        at = fd + 1
    os.closerange(at, 1 << 20)


def place(sources: Sequence[int], *, inherited: int) -> None:
    """Move descriptors to 0, 1, 2, ... in the given order and close all others.

    Args:
        sources: The descriptors; one may appear twice.
        inherited: The first so many are inherited by programs started later.
    """
    # Out of the way first: a source may sit on a number that another one is about to take.
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 64) for fd in sources]
    for target, fd in enumerate(moved):
        os.dup2(fd, target, inheritable=target < inherited)
    keep_only(range(len(moved)))


def write_id_maps(inner_uid: int, inner_gid: int, outer_uid: int, outer_gid: int) -> None:
    """Name the one user and group of a new user namespace; call in its first process.

    Raises:
        OSError: /proc is missing or the kernel refused.
    """
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{inner_uid} {outer_uid} 1"),
        ("gid_map", f"{inner_gid} {outer_gid} 1"),
    ):
        fd = os.open(f"/proc/self/{name}", os.O_WRONLY)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)
