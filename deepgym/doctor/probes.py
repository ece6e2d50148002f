"""What this machine offers a sandbox: looked at, not tried. Never raises; what cannot be read is "unknown"."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
from dataclasses import dataclass

from deepgym_solution._child import kernel
from deepgym_solution._isolation import bwrap, cgroup_support, seccomp
from deepgym_solution._isolation._syscalls import SYSCALLS

__all__ = ["Machine", "Probe", "look", "probes_of"]

_CAP_SYS_ADMIN = 21
_LANDLOCK_CREATE_RULESET_VERSION = 1
_CLONE_NEWUSER = kernel.CLONE_NEWUSER
_VERSION_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Probe:
    """One line of what was found.

    Attributes:
        name: What was looked at.
        value: What was found.
        good: Whether a wall is helped by it; None where it is only told.
    """

    name: str
    value: str
    good: bool | None = None


@dataclass(frozen=True, slots=True)
class Machine:
    """The facts that decide which wall is possible, and what would make a better one so.

    Attributes:
        system: "Linux", "Darwin", ...
        kernel: Its release.
        hardware: Such as "x86_64".
        distribution: The words of os-release's ID and ID_LIKE.
        is_root: The caller is user 0.
        may_mount: The caller has CAP_SYS_ADMIN here.
        bwrap: The bubblewrap that works, or None.
        bwrap_found: A bubblewrap that is there, working or not.
        bwrap_version: What it says of itself.
        bwrap_problem: Why none works.
        user_namespaces: None when this process can make one, else why not.
        max_user_namespaces: user.max_user_namespaces, where there is such a limit.
        userns_clone: kernel.unprivileged_userns_clone, where the kernel has it.
        apparmor_restricts: kernel.apparmor_restrict_unprivileged_userns, where the kernel has it.
        apparmor: Whether AppArmor is on.
        container: What kind of container this is in, or None.
        seccomp: What the kernel can do with filters, or None.
        landlock: The version of Landlock's interface, or 0.
        cgroups: What of control groups can be used.
    """

    system: str
    kernel: str
    hardware: str
    distribution: tuple[str, ...]
    is_root: bool
    may_mount: bool
    bwrap: str | None
    bwrap_found: str | None
    bwrap_version: str | None
    bwrap_problem: str | None
    user_namespaces: str | None
    max_user_namespaces: int | None
    userns_clone: int | None
    apparmor_restricts: int | None
    apparmor: bool
    container: str | None
    seccomp: str | None
    landlock: int
    cgroups: cgroup_support.CgroupSupport


def look() -> Machine:
    """Look at this machine."""
    path, answer = bwrap.find_bwrap() if sys.platform == "linux" else (None, "this is not Linux")
    found = path or next(iter(bwrap.candidates()), None)
    return Machine(
        system=platform.system(),
        kernel=platform.release(),
        hardware=platform.machine(),
        distribution=distribution_in(_read("/etc/os-release")),
        is_root=os.geteuid() == 0,
        may_mount=bool(capabilities_in(_read("/proc/self/status")) >> _CAP_SYS_ADMIN & 1),
        bwrap=path,
        bwrap_found=found,
        bwrap_version=_version_of(found) if found else None,
        bwrap_problem=None if path else answer,
        user_namespaces=_why_no_user_namespace(),
        max_user_namespaces=_number("/proc/sys/user/max_user_namespaces"),
        userns_clone=_number("/proc/sys/kernel/unprivileged_userns_clone"),
        apparmor_restricts=_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
        apparmor=_read("/sys/module/apparmor/parameters/enabled").strip() == "Y",
        container=container_of(
            files=[path for path in ("/.dockerenv", "/run/.containerenv") if os.path.exists(path)],
            variables=dict(os.environ),
            first_groups=_read("/proc/1/cgroup"),
            kernel_text=_read("/proc/version"),
        ),
        seccomp=_read("/proc/sys/kernel/seccomp/actions_avail").strip() or None,
        landlock=_landlock_version(),
        cgroups=cgroup_support.detect(),
    )


def distribution_in(os_release: str) -> tuple[str, ...]:
    """The distribution's name and those of its relatives, from the text of /etc/os-release."""
    fields = dict(line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    words = [fields.get(name, "").strip("\"'") for name in ("ID", "ID_LIKE")]
    return tuple(" ".join(words).split())


def capabilities_in(status: str) -> int:
    """The effective capabilities in the text of /proc/PID/status."""
    for line in status.splitlines():
        if line.startswith("CapEff:"):
            return int(line.split()[1], 16)
    return 0


def container_of(
    *, files: list[str], variables: dict[str, str], first_groups: str, kernel_text: str
) -> str | None:
    """What kind of container this is in, or None.

    Args:
        files: Which of the marker files are there.
        variables: The environment.
        first_groups: The text of /proc/1/cgroup.
        kernel_text: The text of /proc/version.
    """
    if "gVisor" in kernel_text:
        return "gVisor"
    if "KUBERNETES_SERVICE_HOST" in variables or "kubepods" in first_groups:
        return "kubernetes"
    if "/run/.containerenv" in files or variables.get("container") == "podman":
        return "podman"
    if "/.dockerenv" in files or "/docker" in first_groups:
        return "docker"
    if "/lxc" in first_groups or variables.get("container") == "lxc":
        return "lxc"
    return variables.get("container") or None


def probes_of(machine: Machine, *, way: str | None, detail: str) -> list[Probe]:
    """The facts as lines for people.

    Args:
        machine: What `look` found.
        way: How runs are sealed here: "nested", "pool" or "plain"; None when none can happen.
        detail: That way in words.
    """
    groups = machine.cgroups
    return [
        Probe(
            "kernel", f"{machine.system} {machine.kernel} on {machine.hardware}", machine.system == "Linux"
        ),
        Probe("user", _user(machine)),
        Probe("container", machine.container or "none seen"),
        Probe("bubblewrap", _bubblewrap(machine), machine.bwrap is not None),
        Probe("user namespaces", machine.user_namespaces or "can be made", machine.user_namespaces is None),
        *_switches(machine),
        Probe("AppArmor", "on" if machine.apparmor else "off or absent"),
        Probe(
            "seccomp", _seccomp(machine), machine.seccomp is not None and machine.hardware in seccomp.MACHINES
        ),
        Probe(
            "Landlock", f"version {machine.landlock} (not used)" if machine.landlock else "absent (not used)"
        ),
        Probe(
            "control groups",
            f"v{groups.version}: {', '.join(sorted(groups.controllers))}"
            if groups.usable
            else f"none: {groups.reason}",
            groups.usable,
        ),
        Probe("way", f"{way}: {detail}" if way else f"none: {detail}", way in ("nested", "pool")),
    ]


def _user(machine: Machine) -> str:
    rights = "with" if machine.may_mount else "without"
    return f"{'root' if machine.is_root else f'user {os.geteuid()}'}, {rights} the right to mount"


def _bubblewrap(machine: Machine) -> str:
    if machine.bwrap is None:
        return machine.bwrap_problem or "none"
    return f"{machine.bwrap} ({machine.bwrap_version or 'version unknown'})"


def _switches(machine: Machine) -> list[Probe]:
    limit, clone, restricts = machine.max_user_namespaces, machine.userns_clone, machine.apparmor_restricts
    found = (
        ("user.max_user_namespaces", limit, limit != 0),
        ("kernel.unprivileged_userns_clone", clone, clone != 0),
        ("kernel.apparmor_restrict_unprivileged_userns", restricts, restricts == 0),
    )
    return [Probe(name, str(value), good) for name, value, good in found if value is not None]


def _seccomp(machine: Machine) -> str:
    if machine.seccomp is None:
        return "the kernel has no filters"
    known = "known" if machine.hardware in seccomp.MACHINES else "no filter is known for it"
    return f"{machine.seccomp}; {machine.hardware}: {known}"


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(100_000)
    except OSError:
        return ""


def _number(path: str) -> int | None:
    text = _read(path).strip()
    return int(text) if text.isdigit() else None


def _version_of(path: str) -> str | None:
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=_VERSION_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = done.stdout.strip()
    if os.stat(path).st_mode & 0o4000:
        version += ", setuid"
    return version or None


def _why_no_user_namespace() -> str | None:
    """None when a child of this process can make a user namespace; else the kernel's word."""
    if sys.platform != "linux":
        return "this is not Linux"
    libc = ctypes.CDLL(None, use_errno=True)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if libc.unshare(_CLONE_NEWUSER) == 0 else ctypes.get_errno() & 0xFF or 255)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return None if code == 0 else f"refused: {os.strerror(code)}"


def _landlock_version() -> int:
    number = SYSCALLS.get(platform.machine(), {}).get("landlock_create_ruleset")
    if number is None or sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(
        0,
        int(libc.syscall(ctypes.c_long(number), None, ctypes.c_size_t(0), _LANDLOCK_CREATE_RULESET_VERSION)),
    )
