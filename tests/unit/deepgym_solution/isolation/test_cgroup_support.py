"""Finding a place for control groups, on machines drawn as texts and folders."""

import os

import pytest

from deepgym_solution._isolation import cgroup_support
from deepgym_solution._isolation.cgroup_support import CgroupSupport, detect

LEGACY_LINE = "{id} 31 0:{id} {root} {point} rw,relatime shared:9 - cgroup cgroup rw,{options}"
UNIFIED_LINE = "{id} 31 0:{id} {root} {point} rw,relatime - cgroup2 cgroup2 rw"
OTHER_LINE = "22 1 0:20 / / rw,relatime - ext4 /dev/root rw"


@pytest.fixture
def machine(tmp_path):
    """Draw a machine: its mounts and the caller's groups; gives what detect() needs."""
    (tmp_path / "proc/self").mkdir(parents=True)

    def draw(mounts, groups):
        (tmp_path / "proc/self/mountinfo").write_text("".join(line + "\n" for line in (OTHER_LINE, *mounts)))
        (tmp_path / "proc/self/cgroup").write_text("".join(line + "\n" for line in groups))
        return str(tmp_path / "proc")

    draw.path = tmp_path
    return draw


def make_unified(folder, *, offered="", enabled="", pids=""):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cgroup.controllers").write_text(offered)
    (folder / "cgroup.subtree_control").write_text(enabled)
    (folder / "cgroup.procs").write_text(pids)
    return folder


def legacy(number, point, options, root="/"):
    return LEGACY_LINE.format(id=number, root=root, point=point, options=options)


def unified(point, root="/"):
    return UNIFIED_LINE.format(id=70, root=root, point=point)


def test_legacy_controllers_are_found_below_the_callers_own_groups(machine):
    base = machine.path / "sys"
    for name in ("memory/mine", "pids", "cpu,cpuacct/a/b"):
        (base / name).mkdir(parents=True)
    mounts = [
        legacy(40, base / "memory", "memory"),
        legacy(41, base / "pids", "pids"),
        legacy(42, base / "cpu,cpuacct", "cpu,cpuacct"),
    ]
    found = detect(machine(mounts, ["9:memory:/mine", "8:pids:/", "7:cpu,cpuacct:/a/b", "1:name=systemd:/x"]))
    assert found.version == 1
    assert found.folders == {
        "memory": f"{base}/memory/mine",
        "pids": f"{base}/pids",
        "cpu": f"{base}/cpu,cpuacct/a/b",
    }
    assert found.reason is None
    assert sorted(os.listdir(base / "pids")) == []


def test_a_legacy_machine_with_some_controllers_names_the_missing_ones(machine):
    base = machine.path / "sys"
    (base / "pids").mkdir(parents=True)
    mounts = [legacy(40, base / "memory", "memory"), legacy(41, base / "pids", "pids")]
    found = detect(machine(mounts, ["9:memory:/gone", "8:pids:/"]))
    assert found.controllers == {"pids"}
    assert "memory: " in found.reason
    assert "No such file or directory" in found.reason
    assert "cpu: not mounted" in found.reason


def test_a_container_that_mounts_a_part_of_the_hierarchy_is_understood(machine):
    base = machine.path / "sys"
    (base / "memory/inner").mkdir(parents=True)
    mounts = [legacy(40, base / "memory", "memory", root="/docker/abc")]
    found = detect(machine(mounts, ["9:memory:/docker/abc/inner"]))
    assert found.folders == {"memory": f"{base}/memory/inner"}


def test_a_mount_point_with_blanks_is_unescaped(machine):
    point = machine.path / "with blank"
    point.mkdir()
    found = detect(machine([legacy(40, str(point).replace(" ", "\\040"), "pids")], ["9:pids:/"]))
    assert found.folders == {"pids": str(point)}


def test_a_delegated_unified_group_is_used_with_what_it_offers(machine):
    point = machine.path / "sys"
    make_unified(point, offered="cpu memory pids", enabled="cpu memory pids", pids="1")
    unit = make_unified(point / "unit", offered="cpu memory pids io")
    make_unified(unit / "main", offered="", pids="123")
    found = detect(machine([unified(point)], ["0::/unit/main"]))
    assert found.version == 2
    assert found.folders == dict.fromkeys(("memory", "pids", "cpu"), str(unit))
    assert found.reason is None


def test_a_unified_group_that_holds_processes_hands_on_only_what_it_did_before(machine):
    point = make_unified(machine.path / "sys", offered="cpu memory pids", enabled="memory pids", pids="1 2")
    found = detect(machine([unified(point)], ["0::/"]))
    assert found.controllers == {"memory", "pids"}
    assert "does not offer cpu" in found.reason


def test_an_undelegated_unified_group_is_a_reason_with_a_remedy(machine):
    point = make_unified(machine.path / "sys", offered="cpu memory pids", pids="1")
    make_unified(point / "session", offered="memory pids", pids="5")
    found = detect(machine([unified(point)], ["0::/session"]))
    assert not found.usable
    assert found.version == 0
    assert "systemd-run --user --scope" in found.reason


def test_the_search_for_a_delegated_group_ends_at_the_mount(machine):
    point = make_unified(machine.path / "sys/inner", offered="", pids="1")
    make_unified(machine.path / "sys", offered="memory pids cpu")
    assert not detect(machine([unified(point)], ["0::/"])).usable


def test_a_hybrid_machine_uses_the_hierarchy_that_has_the_controllers(machine):
    base = machine.path / "sys"
    make_unified(base / "unified", offered="hugetlb", pids="1")
    (base / "memory").mkdir()
    (base / "pids").mkdir()
    mounts = [
        unified(base / "unified"),
        legacy(40, base / "memory", "memory"),
        legacy(41, base / "pids", "pids"),
    ]
    found = detect(machine(mounts, ["9:memory:/", "8:pids:/", "0::/"]))
    assert (found.version, found.controllers) == (1, {"memory", "pids"})


def test_a_machine_without_control_groups_says_so(machine):
    found = detect(machine([], []))
    assert found == CgroupSupport(0, {}, "no control-group file system is mounted")


def test_a_machine_without_proc_says_so(tmp_path):
    found = detect(str(tmp_path))
    assert not found.usable
    assert "cannot be read" in found.reason


@pytest.mark.parametrize("line", ["", "31 22 0:5 / /x rw", "a b c - cgroup"])
def test_a_malformed_mount_line_is_a_reason(machine, line):
    found = detect(machine([line], ["0::/"]))
    assert "not a line of mountinfo" in found.reason


@pytest.mark.parametrize("line", ["", "nonsense", "0::relative"])
def test_a_malformed_group_line_is_a_reason(machine, line):
    found = detect(machine([legacy(4, "/x", "memory")], [line, "0::/"]))
    assert "not a line of /proc/PID/cgroup" in found.reason


def test_probing_leaves_nothing_and_passes_over_a_probe_left_behind(tmp_path):
    (tmp_path / f"deepgym-probe-{os.getpid()}").mkdir()
    assert cgroup_support.try_making_a_group(str(tmp_path)) is None
    assert os.listdir(tmp_path) == []


def test_probing_a_place_where_nothing_can_be_made_says_why(tmp_path):
    (tmp_path / "file").write_text("")
    assert "Not a directory" in cgroup_support.try_making_a_group(str(tmp_path / "file"))
