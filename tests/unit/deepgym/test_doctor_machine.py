"""What the doctor makes of a machine: facts from the kernel's texts, and the commands that would make it better."""

import dataclasses

import pytest

from deepgym.doctor.probes import Machine, capabilities_in, container_of, distribution_in, look, probes_of
from deepgym.doctor.remedies import remedies_for
from deepgym_solution._isolation.cgroup_support import CgroupSupport

PLAIN = Machine(
    system="Linux",
    kernel="6.8.0",
    hardware="x86_64",
    distribution=("ubuntu", "debian"),
    is_root=False,
    may_mount=False,
    bwrap=None,
    bwrap_found=None,
    bwrap_version=None,
    bwrap_problem="there is no bwrap",
    user_namespaces=None,
    max_user_namespaces=30_000,
    userns_clone=None,
    apparmor_restricts=None,
    apparmor=False,
    container=None,
    seccomp="allow",
    landlock=4,
    cgroups=CgroupSupport(2, {"memory": "/sys/fs/cgroup"}),
)
BLOCKED = dataclasses.replace(
    PLAIN, bwrap_found="/usr/bin/bwrap", bwrap_problem="setting up uid map: Permission denied"
)
SEALED = dataclasses.replace(PLAIN, bwrap="/usr/bin/bwrap", bwrap_found="/usr/bin/bwrap", bwrap_problem=None)


def commands(machine, grade="process", way="plain", **variables):
    return [item.command for item in remedies_for(machine, grade=grade, way=way, variables=variables)]


@pytest.mark.parametrize(
    ("machine", "expected"),
    [
        (PLAIN, ["sudo apt-get install bubblewrap", "pip install 'deepgym[bwrap]'"]),
        (
            dataclasses.replace(PLAIN, is_root=True),
            ["apt-get install bubblewrap", "pip install 'deepgym[bwrap]'"],
        ),
        (
            dataclasses.replace(PLAIN, distribution=("rocky", "rhel", "fedora"), hardware="aarch64"),
            ["sudo dnf install bubblewrap"],
        ),
        (dataclasses.replace(PLAIN, distribution=("nixos",)), ["pip install 'deepgym[bwrap]'"]),
        (
            dataclasses.replace(BLOCKED, apparmor_restricts=1),
            ["sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"],
        ),
        (dataclasses.replace(BLOCKED, userns_clone=0), ["sudo sysctl -w kernel.unprivileged_userns_clone=1"]),
        (
            dataclasses.replace(BLOCKED, max_user_namespaces=0),
            ["sudo sysctl -w user.max_user_namespaces=15000"],
        ),
        (BLOCKED, ["pip install 'deepgym[docker]'"]),
        (dataclasses.replace(PLAIN, system="Darwin"), ["pip install 'deepgym[docker]'"]),
        (dataclasses.replace(BLOCKED, container="gVisor"), ["pip install 'deepgym[docker]'"]),
    ],
)
def test_the_command_that_raises_a_machine_without_a_wall(machine, expected):
    assert commands(machine) == expected


def test_a_container_is_to_be_started_with_what_bubblewrap_needs():
    (command,) = commands(dataclasses.replace(BLOCKED, container="docker"))
    assert command.startswith("docker run --security-opt seccomp=unconfined")
    assert "systempaths=unconfined" in command
    assert "SYS_ADMIN" not in command
    (as_root,) = commands(dataclasses.replace(BLOCKED, container="docker", is_root=True))
    assert "--cap-add SYS_ADMIN" in as_root


def test_other_containers_have_their_own_words():
    assert commands(dataclasses.replace(BLOCKED, container="podman"))[0].startswith("podman run ")
    pod = commands(dataclasses.replace(BLOCKED, container="kubernetes", is_root=True))[0]
    assert pod.startswith("securityContext: {procMount: Unmasked")
    assert pod.count("{") == pod.count("}")
    plain_pod = commands(dataclasses.replace(BLOCKED, container="kubernetes"))[0]
    assert plain_pod.count("{") == plain_pod.count("}")


def test_the_machines_switch_comes_before_the_containers():
    machine = dataclasses.replace(BLOCKED, container="docker", apparmor_restricts=1)
    first, second = commands(machine)
    assert first.startswith("sudo sysctl")
    assert second.startswith("docker run")


def test_every_command_to_a_wall_names_the_grade_that_follows():
    for machine in (PLAIN, BLOCKED, dataclasses.replace(BLOCKED, container="docker")):
        for remedy in remedies_for(machine, grade="process", way="plain", variables={}):
            assert remedy.raises_to in ("sealed", "container")


def test_what_the_caller_switched_off_is_switched_on_first():
    assert commands(SEALED, DEEPGYM_LOCAL_WAY="plain") == ["unset DEEPGYM_LOCAL_WAY"]
    assert commands(BLOCKED, DEEPGYM_BWRAP="/nowhere") == ["unset DEEPGYM_BWRAP"]


def test_boxes_without_nesting_keep_their_grade_and_can_be_faster():
    machine = dataclasses.replace(SEALED, apparmor_restricts=1)
    faster, beyond = remedies_for(machine, grade="sealed", way="pool", variables={})
    assert faster.command.startswith("sudo sysctl")
    assert faster.raises_to is None
    assert beyond.raises_to == "container"


def test_a_sealed_machine_hears_of_control_groups_only_without_them():
    without = dataclasses.replace(SEALED, cgroups=CgroupSupport(0, reason="not delegated"))
    assert commands(without, "sealed", "nested")[0].startswith("systemd-run --user --scope")
    assert len(commands(SEALED, "sealed", "nested")) == 1


def test_distributions_are_read_with_their_relatives():
    text = 'PRETTY_NAME="Rocky"\nID="rocky"\nID_LIKE="rhel centos fedora"\n'
    assert distribution_in(text) == ("rocky", "rhel", "centos", "fedora")
    assert distribution_in("") == ()


def test_effective_capabilities_are_read():
    assert capabilities_in("Name:\tx\nCapEff:\t0000000000200000\n") == 1 << 21
    assert capabilities_in("") == 0


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, None),
        ({"files": ["/.dockerenv"]}, "docker"),
        ({"files": ["/run/.containerenv"]}, "podman"),
        ({"variables": {"KUBERNETES_SERVICE_HOST": "x"}, "files": ["/.dockerenv"]}, "kubernetes"),
        ({"first_groups": "0::/kubepods/pod1"}, "kubernetes"),
        ({"first_groups": "4:memory:/docker/abc"}, "docker"),
        ({"first_groups": "1:name=systemd:/lxc/one"}, "lxc"),
        ({"variables": {"container": "systemd-nspawn"}}, "systemd-nspawn"),
        ({"kernel_text": "Linux version 4.4.0 gVisor"}, "gVisor"),
    ],
)
def test_containers_are_recognised(facts, expected):
    given = {"files": [], "variables": {}, "first_groups": "", "kernel_text": "", **facts}
    assert container_of(**given) == expected


def test_probes_mark_what_keeps_a_wall_from_being_built():
    machine = dataclasses.replace(
        BLOCKED,
        apparmor_restricts=1,
        userns_clone=1,
        user_namespaces="refused: Permission denied",
        seccomp=None,
    )
    marks = {probe.name: probe.good for probe in probes_of(machine, way="plain", detail="no wall")}
    assert marks["bubblewrap"] is False
    assert marks["user namespaces"] is False
    assert marks["kernel.apparmor_restrict_unprivileged_userns"] is False
    assert marks["kernel.unprivileged_userns_clone"] is True
    assert marks["user.max_user_namespaces"] is True
    assert marks["seccomp"] is False
    assert marks["way"] is False
    assert marks["Landlock"] is None


def test_this_machine_can_be_looked_at():
    machine = look()
    assert machine.kernel
    assert (machine.bwrap is None) == (machine.bwrap_problem is not None)
    assert all(probe.value for probe in probes_of(machine, way=None, detail="not asked"))
