"""From what a machine is to the exact commands that would make its wall a better one. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from deepgym.doctor.probes import Machine
from deepgym.models import Isolation

__all__ = ["Remedy", "remedies_for"]

# What a container's own wall must let through, so that bubblewrap can build one inside it.
_DOCKER = "--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined"
_PODMAN = "--security-opt seccomp=unconfined --security-opt unmask=ALL"
_KUBERNETES = (
    "securityContext: {procMount: Unmasked, seccompProfile: {type: Unconfined},"
    " appArmorProfile: {type: Unconfined}"
)
_DELEGATE = "systemd-run --user --scope -p Delegate=yes -p DelegateSubgroup=main COMMAND"

# Distribution, by its own or a relative's name, to what installs bubblewrap there.
_INSTALL = {
    "debian": "sudo apt-get install bubblewrap",
    "ubuntu": "sudo apt-get install bubblewrap",
    "fedora": "sudo dnf install bubblewrap",
    "rhel": "sudo dnf install bubblewrap",
    "suse": "sudo zypper install bubblewrap",
    "opensuse": "sudo zypper install bubblewrap",
    "arch": "sudo pacman -S bubblewrap",
    "alpine": "sudo apk add bubblewrap",
}


@dataclass(frozen=True, slots=True)
class Remedy:
    """One command, or one setting where the machine is started by others.

    Attributes:
        command: What to run; words in capitals are the reader's own.
        effect: What it is for.
        raises_to: The grade that becomes possible, or None when the grade stays.
    """

    command: str
    effect: str
    raises_to: Isolation | None = None


def remedies_for(
    machine: Machine, *, grade: str | None, way: str | None, variables: Mapping[str, str]
) -> list[Remedy]:
    """What would make the wall better, the most useful first.

    Args:
        machine: What the machine is.
        grade: The isolation that runs have now; None when none came to a result.
        way: How they are sealed: "nested", "pool", "plain" or None.
        variables: The caller's environment.
    """
    found = list(_of_settings(way, variables))
    if grade not in ("sealed", "container", "vm") and not found:
        found += _to_sealed(machine)
    elif way == "pool" and not found:
        found += _to_nesting(machine)
    if grade == "sealed":
        found += _beyond_sealed(machine)
    return found


def _of_settings(way: str | None, variables: Mapping[str, str]) -> Iterator[Remedy]:
    """What the caller has switched off by hand."""
    if variables.get("DEEPGYM_LOCAL_WAY") and way != "nested":
        raises: Isolation | None = "sealed" if way == "plain" else None
        yield Remedy("unset DEEPGYM_LOCAL_WAY", "let the best way that works here be used", raises)
    elif variables.get("DEEPGYM_BWRAP") and way in (None, "plain"):
        yield Remedy("unset DEEPGYM_BWRAP", "use the bubblewrap that is installed", "sealed")


def _to_sealed(machine: Machine) -> Iterator[Remedy]:
    if machine.system != "Linux" or machine.container == "gVisor":
        where = "gVisor" if machine.container else machine.system
        yield Remedy(
            "pip install 'deepgym[docker]'",
            f'{where} has no local wall: run with DeepGym(mode="docker"), or on a machine with Linux',
            "container",
        )
        return
    if machine.bwrap_found is None:
        yield from _install(machine)
        return
    if machine.bwrap is not None:
        return
    blocked = list(_switches(machine))
    yield from blocked
    if machine.container is not None:
        yield _for_container(machine)
    elif not blocked:
        yield Remedy(
            "pip install 'deepgym[docker]'",
            f'bubblewrap is refused here ({machine.bwrap_problem}): run as root, or with DeepGym(mode="docker")',
            "container",
        )


def _install(machine: Machine) -> Iterator[Remedy]:
    command = next((_INSTALL[name] for name in machine.distribution if name in _INSTALL), None)
    if command is not None:
        command = command.removeprefix("sudo ") if machine.is_root else command
        yield Remedy(command, "install bubblewrap, which builds the wall", "sealed")
    if machine.hardware == "x86_64" or command is None:
        yield Remedy(
            "pip install 'deepgym[bwrap]'", "the same without root: bubblewrap as a package", "sealed"
        )


def _switches(machine: Machine) -> Iterator[Remedy]:
    """Switches that keep users from making namespaces; they are the machine's, not a container's."""
    if machine.is_root:
        return
    if machine.apparmor_restricts:
        yield Remedy(
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
            "let users make namespaces (Ubuntu 23.10 and later); /etc/sysctl.d keeps it",
            "sealed",
        )
    if machine.userns_clone == 0:
        yield Remedy(
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
            "let users make namespaces (Debian)",
            "sealed",
        )
    if machine.max_user_namespaces == 0:
        yield Remedy(
            "sudo sysctl -w user.max_user_namespaces=15000", "let users make namespaces (RHEL)", "sealed"
        )


def _for_container(machine: Machine) -> Remedy:
    effect = "start the container so that bubblewrap works inside it"
    capability = " --cap-add SYS_ADMIN" if machine.is_root else ""
    if machine.container == "kubernetes":
        add = ", capabilities: {add: [SYS_ADMIN]}" if machine.is_root else ""
        return Remedy(f"{_KUBERNETES}{add}}}", f"{effect}: in the pod's container", "sealed")
    if machine.container == "podman":
        return Remedy(f"podman run {_PODMAN}{capability} IMAGE", effect, "sealed")
    return Remedy(f"docker run {_DOCKER}{capability} IMAGE", effect, "sealed")


def _to_nesting(machine: Machine) -> Iterator[Remedy]:
    """The grade is the same and each run several times faster."""
    faster = "several times faster runs: children make their own namespaces"
    if machine.apparmor_restricts and not machine.is_root:
        yield Remedy("sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0", faster)
    elif machine.container is not None:
        yield Remedy(_for_container(machine).command, faster)


def _beyond_sealed(machine: Machine) -> Iterator[Remedy]:
    if not machine.cgroups.usable and machine.cgroups.version == 0 and machine.container is None:
        yield Remedy(_DELEGATE, "bound the memory and the processes of all runs together")
    yield Remedy(
        "pip install 'deepgym[docker]'",
        'sealed is the strongest wall without a daemon; DeepGym(mode="docker") adds a container around it',
        "container",
    )
