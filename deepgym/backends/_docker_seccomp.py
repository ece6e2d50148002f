"""The system-call profile of our containers, as the engine takes it.

An allow-list: what is not named here does not exist (ENOSYS), so a call younger than this list is
refused. What the list leaves out against an engine's usual profile: io_uring, everything about
namespaces and mounts, other processes' memory, keyrings, and every socket family but unix and
inet (which lead nowhere without a network). Arguments are judged only where they are numbers.
"""

import errno
import functools
import json
from typing import Any

from deepgym_solution._isolation._syscalls import SYSCALLS

# Asking for these is answered with EPERM: programs know that they may be forbidden.
_FORBIDDEN = """
    ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd
    mount umount2 pivot_root chroot move_mount open_tree open_tree_attr fsopen fsconfig fsmount fspick
    mount_setattr unshare setns
    bpf perf_event_open userfaultfd
    add_key request_key keyctl
    init_module finit_module delete_module kexec_load kexec_file_load reboot
    swapon swapoff acct quotactl quotactl_fd syslog vhangup sethostname setdomainname
    settimeofday clock_settime clock_adjtime adjtimex
    iopl ioperm modify_ldt
    name_to_handle_at open_by_handle_at fanotify_init fanotify_mark lookup_dcookie
    migrate_pages move_pages vmsplice lsm_set_self_attr mknod mknodat
"""

# Asking for these is answered with ENOSYS: C libraries then take the older call, whose arguments
# can be judged.
_MISSING = """
    clone3 openat2 memfd_secret io_uring_setup io_uring_enter io_uring_register
    uselib ustat sysfs _sysctl nfsservctl create_module get_kernel_syms query_module
    getpmsg putpmsg afs_syscall tuxcall security vserver epoll_ctl_old epoll_wait_old
"""

FORBIDDEN = frozenset(_FORBIDDEN.split())
MISSING = frozenset(_MISSING.split())

# Allowed for some arguments only.
JUDGED = frozenset({"clone", "socket", "socketpair", "ioctl", "personality"})

_CLONE_NEW_ANY = 0x7E020000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
_PERSONA_LINUX, _PERSONA_QUESTION = 0, 0xFFFFFFFF


def _argument(index: int, operator: str, value: int, second: int = 0) -> dict[str, Any]:
    return {"index": index, "value": value, "valueTwo": second, "op": f"SCMP_CMP_{operator}"}


def _allow(name: str, *arguments: dict[str, Any]) -> dict[str, Any]:
    return {"names": [name], "action": "SCMP_ACT_ALLOW", "args": list(arguments)}


def build_profile() -> dict[str, Any]:
    """The profile, as data."""
    known = {name for table in SYSCALLS.values() for name in table}
    plain = sorted(known - FORBIDDEN - MISSING - JUDGED)
    rules = [
        {"names": plain, "action": "SCMP_ACT_ALLOW"},
        {"names": sorted(FORBIDDEN), "action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM},
        {"names": sorted(MISSING), "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
        _allow("clone", _argument(0, "MASKED_EQ", _CLONE_NEW_ANY, 0)),
        _allow("ioctl", _argument(1, "NE", _TIOCSTI), _argument(1, "NE", _TIOCLINUX)),
        *[_allow("socket", _argument(0, "EQ", family)) for family in (_AF_UNIX, _AF_INET, _AF_INET6)],
        _allow("socketpair", _argument(0, "EQ", _AF_UNIX)),
        *[_allow("personality", _argument(0, "EQ", value)) for value in (_PERSONA_LINUX, _PERSONA_QUESTION)],
    ]
    return {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": errno.ENOSYS,
        # Without the 32-bit entries, whose numbers mean other calls.
        "archMap": [
            {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []},
            {"architecture": "SCMP_ARCH_AARCH64", "subArchitectures": []},
        ],
        "syscalls": rules,
    }


@functools.cache
def profile_json() -> str:
    """The profile, as the engine's `seccomp=` option takes it."""
    return json.dumps(build_profile(), separators=(",", ":"))
