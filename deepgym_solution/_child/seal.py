"""The last trusted steps of a process that becomes untrusted: mounts, limits, privileges, descriptors.

Runs in a child that was just cloned into its own namespaces (`nested`), or alone in a box of its own (`single`), or
as a user of its own (`user`), or with none of these (`plain`). Each step raises OSError; nothing of the solution has
run by then, so the machine is to blame.
"""

from __future__ import annotations

import _socket
import errno
import fcntl
import os
import resource
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from deepgym_solution._child import kernel
from deepgym_solution._isolation import seccomp
from deepgym_solution._isolation.policy import Policy

# The user a sealed process sees itself as. It has no name, no home and owns nothing but its /tmp.
INNER_UID = 1000
INNER_GID = 1000

CHANNEL_FD = 3

# What a cloned child gets of its own.
NAMESPACES = (
    kernel.CLONE_NEWUSER
    | kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
)

# Users that nobody else in a box is: one for each child, so that what a user owns is what that child started.
SOLUTION_UIDS = (20_000, 40_000)
JUDGE_UIDS = (40_000, 60_000)

# Exit status of a child that could not finish its sealing: nothing untrusted has run in it.
NOT_SEALED = 121
# Exit status of a child in which our own code failed.
BROKEN = 120

_SIOCSIFFLAGS, _IFF_UP, _IFF_RUNNING = 0x8914, 0x1, 0x40
_LOOPBACK_UP = struct.pack("16sh14x", b"lo", _IFF_UP | _IFF_RUNNING)
# A listening socket's state in /proc/net/tcp.
_LISTENING = "0A"
_MACHINE = os.uname().machine


@dataclass(frozen=True, slots=True)
class Place:
    """Where a child finds itself.

    Attributes:
        kind: "nested": just cloned, its namespaces are still to be furnished; "single": alone in a finished box;
            "user": forked by root, to become a user that nobody else is; "plain": a process like any other.
        outer_ids: Its user and group outside, when nested; those to become, when a user.
        root: A user's or plain child's private folder, which stands for the /tmp of the others.
    """

    kind: str
    outer_ids: tuple[int, int] = (0, 0)
    root: str = ""

    def inside(self, path: str) -> str:
        """Where a path of the box's own /tmp really is."""
        return self.root + path


# A judge starts programs, serves on its loopback and keeps what solutions print in files without names.
_JUDGE_FILTER = seccomp.SeccompPolicy(allow_inet=True, allow_loose_memory=True, allow_placement=True)

_shown_in_tmp: tuple[str, ...] = ()


def show_in_tmp(paths: Iterable[str]) -> None:
    """Keep these paths, as far as they are folders below /tmp, visible to children that get a /tmp of their own."""
    global _shown_in_tmp  # noqa: PLW0603 - set once, in the template
    _shown_in_tmp = tuple(path for path in paths if path.startswith("/tmp/") and os.path.isdir(path))


_FILTERS: dict[seccomp.SeccompPolicy, bytes] = {}


def become_user(uid: int, gid: int) -> None:
    """Change from root to a user of this process's own, and be the first that the kernel ends for memory.

    Raises:
        OSError: This process is not root, or may not change its user.
    """
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as handle:
        handle.write("1000")
    kernel.become(uid, gid)
    kernel.set_dumpable(True)
    kernel.die_with_parent()  # changing the user has cleared it


def enter_namespaces(policy: Policy, outer_uid: int, outer_gid: int) -> None:
    """Make a freshly cloned process the only inhabitant of its own tree."""
    kernel.write_id_maps(INNER_UID, INNER_GID, outer_uid, outer_gid)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    # The interpreter or its packages may lie below /tmp: they are shown in the private one too.
    shown = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in _shown_in_tmp]
    size = f"size={policy.tmp_bytes},nr_inodes={policy.tmp_inodes},mode=0700"
    kernel.mount("tmpfs", "/tmp", "tmpfs", flags, size)
    for path, fd in shown:
        os.makedirs(path, 0o700)
        kernel.mount(f"/proc/self/fd/{fd}", path, None, kernel.MS_BIND | kernel.MS_REC)
        os.close(fd)
    kernel.mount("proc", "/proc", "proc", flags | kernel.MS_NOEXEC)
    os.mkdir("/tmp/.shm", 0o700)  # /dev/shm is a link to it: one tmpfs bounds both


def limit(policy: Policy) -> None:
    """Apply the policy's numbers to this process and all that it starts."""
    bounds = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, policy.memory_bytes),
        # One more than the host allows all of them together: it can say why, and this needs no host.
        (resource.RLIMIT_CPU, policy.cpu_s + 1),
        (resource.RLIMIT_NPROC, policy.processes),
        (resource.RLIMIT_NOFILE, policy.open_files),
        (resource.RLIMIT_FSIZE, policy.file_bytes),
        (resource.RLIMIT_MEMLOCK, 64 * 1024),
        (resource.RLIMIT_MSGQUEUE, 64 * 1024),
    )
    for name, value in bounds:
        _, hard = resource.getrlimit(name)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (bound, bound))


def prepare_filters() -> None:
    """Assemble the seccomp programs once, in the template that children are forked from."""
    for inet in (False, True):
        for execute in (False, True):
            seccomp.prepare_filter(_filter(seccomp.SeccompPolicy(allow_inet=inet, allow_exec=execute)))


def _filter(policy: seccomp.SeccompPolicy) -> bytes:
    if policy not in _FILTERS:
        _FILTERS[policy] = seccomp.build_filter(policy, _MACHINE)
    return _FILTERS[policy]


def give_up_privileges(*, inet: bool, execute: bool) -> None:
    """From here on: no capability, none to be gained, and no system call that the filter refuses."""
    _give_up_privileges(seccomp.SeccompPolicy(allow_inet=inet, allow_exec=execute))


def _give_up_privileges(policy: seccomp.SeccompPolicy) -> None:
    kernel.drop_capabilities()
    if _MACHINE in seccomp.MACHINES:
        seccomp.install_filter(_filter(policy))
    else:
        kernel.no_new_privileges()


def give_up_privileges_asking(*, inet: bool) -> int:
    """The same, with each start of a program to be decided by who holds the returned listener.

    Raises:
        OSError: The kernel refused, or this machine has no filter that could ask.
    """
    kernel.drop_capabilities()
    if _MACHINE not in seccomp.MACHINES:
        raise OSError(errno.ENOSYS, f"no system-call filter for {_MACHINE}: pass allow_subprocess=True")
    policy = seccomp.SeccompPolicy(allow_inet=inet, ask_exec=True)
    return seccomp.install_asking_filter(seccomp.build_filter(policy, _MACHINE))


def give_up_privileges_of_judge() -> None:
    """A judge makes no namespaces and looks into nobody."""
    _give_up_privileges(_JUDGE_FILTER)


def bring_up_loopback() -> None:
    """Make 127.0.0.1 usable in a new network namespace.

    Raises:
        OSError: The namespace is not this process's own.
    """
    # The C type of sockets, here and in _launch.py: it touches far less memory than the Python class over it.
    sock = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    try:
        fcntl.ioctl(sock.fileno(), _SIOCSIFFLAGS, _LOOPBACK_UP)
    finally:
        sock.close()


def close_network() -> bool:
    """Take a network of this process's own, if it may; False when it may not and the machine's has no strangers on it.

    Raises:
        OSError: It may not, and somebody else's service listens on the loopback that it would share.
    """
    try:
        kernel.unshare_network()
    except OSError as exc:
        strangers = _strangers_ports()
        if not strangers:
            return False
        reason = (
            f"the box has a service of its own on port {strangers[0]}, which the solution could reach too"
        )
        raise OSError(exc.errno, reason) from exc
    return True


def _strangers_ports() -> list[int]:
    """Ports of this network on which somebody other than a judge listens."""
    found = []
    for name in ("tcp", "tcp6"):
        try:
            with open(f"/proc/net/{name}", encoding="ascii") as handle:
                rows = [line.split() for line in handle.readlines()[1:]]
        except OSError:
            continue
        found += [
            int(row[1].rsplit(":", 1)[1], 16)
            for row in rows
            if row[3] == _LISTENING and int(row[7]) not in range(*JUDGE_UIDS)
        ]
    return found


def open_port(port: int) -> socket.socket:
    """A listener on the box's own loopback, which is brought up for it.

    Raises:
        OSError: The network namespace cannot be changed, or the port is taken.
    """
    try:
        bring_up_loopback()
    except PermissionError:
        pass  # a box of bubblewrap's own, which has brought it up already
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", port))
    listener.listen(64)
    return listener
