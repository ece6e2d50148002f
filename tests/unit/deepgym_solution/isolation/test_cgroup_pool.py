"""The pool's arithmetic and its promises of silence, on folders that stand in for the kernel's."""

import errno
import os

import pytest

from deepgym_solution._isolation import _cgroup_files, cgroup
from deepgym_solution._isolation.cgroup import CgroupLimits, CgroupPool, CgroupUsage
from deepgym_solution._isolation.cgroup_support import CgroupSupport

MIB = 1024 * 1024
UNIFIED_FILES = {
    "cgroup.procs": "", "cgroup.kill": "", "cgroup.subtree_control": "", "memory.max": "max", "memory.swap.max": "max",
    "memory.oom.group": "0", "memory.peak": "4096", "memory.events": "low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\n",
    "pids.max": "max", "pids.events": "max 5\n", "cpu.max": "max 100000",
}  # fmt: skip
LEGACY_FILES = {
    "cgroup.procs": "", "memory.limit_in_bytes": "", "memory.memsw.limit_in_bytes": "",
    "memory.max_usage_in_bytes": "8192", "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
    "pids.max": "max", "pids.events": "max 0\n", "cpu.cfs_period_us": "", "cpu.cfs_quota_us": "",
}  # fmt: skip


class Kernel:
    """Folders that come with control files and go with them, as the kernel's do."""

    def __init__(self, base):
        self.base = base
        self.files = UNIFIED_FILES
        self.writes = []
        self.refuses = set()

    def make(self, path):
        os.makedirs(path, exist_ok=True)
        for name, content in self.files.items():
            with open(os.path.join(path, name), "w") as stream:
                stream.write(content)

    def remove(self, path):
        for name in self.files:
            os.unlink(os.path.join(path, name))
        os.rmdir(path)

    def write(self, path, value):
        name = os.path.basename(path)
        if name in self.refuses:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        os.stat(path)
        with open(path, "w") as stream:
            stream.write(value)
        self.writes.append((name, value))


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    fake = Kernel(tmp_path)
    monkeypatch.setattr(_cgroup_files, "make_folder", fake.make)
    monkeypatch.setattr(_cgroup_files, "remove_folder", fake.remove)
    monkeypatch.setattr(_cgroup_files, "write_control", fake.write)
    monkeypatch.setattr(_cgroup_files, "REMOVAL_DEADLINE_S", 0.05)
    fake.make(str(tmp_path))
    return fake


def support_v2(kernel):
    return CgroupSupport(2, dict.fromkeys(("memory", "pids", "cpu"), str(kernel.base)))


def support_v1(kernel):
    kernel.files = LEGACY_FILES
    folders = {name: str(kernel.base / name) for name in ("memory", "pids", "cpu")}
    for folder in folders.values():
        kernel.make(folder)
    return CgroupSupport(1, folders)


def group_in(folder):
    (name,) = [name for name in os.listdir(folder) if name.startswith("deepgym-")]
    return folder / name


def read(folder, *names):
    return {name: (folder / name).read_text() for name in names}


def test_unified_limits_are_written_as_the_kernel_reads_them(kernel):
    pool = CgroupPool(support_v2(kernel))
    assert pool.acquire(CgroupLimits(memory_bytes=64 * MIB, processes=7, cpus=1.5)) is not None
    leaf = group_in(kernel.base) / "leaf-1"
    assert read(leaf, "memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cpu.max") == {
        "memory.max": str(64 * MIB),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "7",
        "cpu.max": "150000 100000",
    }


def test_no_limits_are_written_as_such_so_that_a_used_leaf_forgets_its_own(kernel):
    pool = CgroupPool(support_v2(kernel))
    leaf = pool.acquire(CgroupLimits(memory_bytes=64 * MIB, processes=7, cpus=1.5))
    pool.release(leaf)
    assert pool.acquire(CgroupLimits()) is leaf
    folder = group_in(kernel.base) / "leaf-1"
    assert read(folder, "memory.max", "memory.swap.max", "pids.max", "cpu.max") == {
        "memory.max": "max",
        "memory.swap.max": "max",
        "pids.max": "max",
        "cpu.max": "max 100000",
    }


def test_legacy_memory_is_never_above_memory_and_swap_together(kernel):
    pool = CgroupPool(support_v1(kernel))
    assert pool.acquire(CgroupLimits(memory_bytes=64 * MIB, processes=7, cpus=0.5)) is not None
    assert kernel.writes == [
        ("memory.memsw.limit_in_bytes", "-1"),
        ("memory.limit_in_bytes", str(64 * MIB)),
        ("memory.memsw.limit_in_bytes", str(64 * MIB)),
        ("pids.max", "7"),
        ("cpu.cfs_period_us", "100000"),
        ("cpu.cfs_quota_us", "50000"),
    ]


def test_a_kernel_that_counts_no_swap_takes_the_memory_limit_alone(kernel):
    kernel.files = LEGACY_FILES
    support = support_v1(kernel)
    kernel.files = {name: text for name, text in LEGACY_FILES.items() if "memsw" not in name}
    pool = CgroupPool(support)
    assert pool.acquire(CgroupLimits(memory_bytes=64 * MIB)) is not None
    assert ("memory.limit_in_bytes", str(64 * MIB)) in kernel.writes


def test_the_children_of_a_unified_group_get_its_controllers(kernel):
    pool = CgroupPool(support_v2(kernel))
    assert pool.usable
    enabled = [value for name, value in kernel.writes if name == "cgroup.subtree_control"]
    assert sorted(set(enabled)) == ["+cpu", "+memory", "+pids"]


def test_unified_usage_is_what_happened_since_the_leaf_was_given_out(kernel):
    pool = CgroupPool(support_v2(kernel))
    leaf = pool.acquire(CgroupLimits())
    folder = group_in(kernel.base) / "leaf-1"
    assert leaf.usage() == CgroupUsage(oom_kills=0, memory_peak_bytes=4096, forks_refused=0)
    (folder / "memory.events").write_text("low 0\noom_kill 4\n")
    (folder / "pids.events").write_text("max 9\n")
    assert leaf.usage() == CgroupUsage(oom_kills=2, memory_peak_bytes=4096, forks_refused=4)
    pool.release(leaf)
    again = pool.acquire(CgroupLimits())
    # The peak of an earlier use cannot be reset, and must not be taken for this one's.
    assert again.usage() == CgroupUsage(oom_kills=0, memory_peak_bytes=None, forks_refused=0)


def test_legacy_peaks_are_reset_between_uses(kernel):
    pool = CgroupPool(support_v1(kernel))
    leaf = pool.acquire(CgroupLimits())
    assert leaf.usage().memory_peak_bytes == 8192
    pool.release(leaf)
    assert pool.acquire(CgroupLimits()) is leaf
    assert leaf.usage() == CgroupUsage(oom_kills=0, memory_peak_bytes=0, forks_refused=0)


def test_figures_a_kernel_does_not_give_are_none(kernel):
    kernel.files = {"cgroup.procs": "", "pids.max": "", "cgroup.subtree_control": ""}
    pool = CgroupPool(CgroupSupport(2, {"pids": str(kernel.base)}))
    leaf = pool.acquire(CgroupLimits(processes=3))
    assert leaf.usage() == CgroupUsage(None, None, None)


def test_nonsense_in_the_kernels_files_is_none(kernel):
    pool = CgroupPool(support_v2(kernel))
    leaf = pool.acquire(CgroupLimits())
    folder = group_in(kernel.base) / "leaf-1"
    (folder / "memory.events").write_text("oneword\n")
    (folder / "memory.peak").write_text("max\n")
    (folder / "cgroup.procs").write_text("many\n")
    assert leaf.usage() == CgroupUsage(None, None, 0)
    assert leaf.pids() == set()


def test_a_refused_limit_gives_no_leaf_and_a_reason(kernel):
    pool = CgroupPool(support_v2(kernel))
    kernel.refuses = {"pids.max"}
    assert pool.acquire(CgroupLimits(processes=3)) is None
    assert "pids.max: Permission denied (writing 3)" in pool.reason


def test_a_refused_attachment_is_false_and_a_reason(kernel):
    pool = CgroupPool(support_v2(kernel))
    leaf = pool.acquire(CgroupLimits())
    kernel.refuses = {"cgroup.procs"}
    assert leaf.attach(1234) is False
    assert "cgroup.procs: Permission denied (writing 1234)" in leaf.reason


def test_a_group_that_cannot_be_made_leaves_the_pool_unusable_with_a_reason(kernel):
    kernel.refuses = {"cgroup.subtree_control"}
    pool = CgroupPool(support_v2(kernel))
    assert not pool.usable
    assert "Permission denied" in pool.reason
    assert pool.acquire(CgroupLimits()) is None
    assert [name for name in os.listdir(kernel.base) if name.startswith("deepgym-")] == []


def test_a_leaf_that_cannot_be_made_is_none_with_a_reason(kernel, monkeypatch):
    pool = CgroupPool(support_v2(kernel))

    def refuse(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_cgroup_files, "make_folder", refuse)
    assert pool.acquire(CgroupLimits()) is None
    assert "No space left on device" in pool.reason


def test_an_unusable_machine_gives_an_unusable_pool_with_its_reason():
    pool = CgroupPool(CgroupSupport(0, {}, "nothing here"))
    assert (pool.usable, pool.reason) == (False, "nothing here")
    assert pool.acquire(CgroupLimits()) is None
    pool.close()


def test_leaves_are_used_again_and_each_taker_has_its_own(kernel):
    pool = CgroupPool(support_v2(kernel))
    first, second = pool.acquire(CgroupLimits()), pool.acquire(CgroupLimits())
    assert first is not second
    pool.release(first)
    assert pool.acquire(CgroupLimits()) is first


def test_closing_removes_used_and_free_leaves(kernel):
    pool = CgroupPool(support_v2(kernel))
    pool.release(pool.acquire(CgroupLimits()))
    pool.acquire(CgroupLimits())
    pool.acquire(CgroupLimits())
    pool.close()
    assert sorted(os.listdir(kernel.base)) == sorted(UNIFIED_FILES)
    assert pool.acquire(CgroupLimits()) is None
    assert pool.reason == "the pool was closed"


def test_two_pools_of_one_process_do_not_meet(kernel):
    support = support_v2(kernel)
    one, other = CgroupPool(support), CgroupPool(support)
    one.acquire(CgroupLimits())
    other.acquire(CgroupLimits())
    one.close()
    assert (group_in(kernel.base) / "leaf-1").is_dir()
    other.close()


def test_groups_of_owners_that_are_gone_are_swept(kernel):
    support = support_v2(kernel)
    namespace, started_long_ago = os.stat("/proc/self/ns/pid").st_ino, 1
    orphan = kernel.base / f"deepgym-{namespace}-{os.getpid()}-{started_long_ago}-0"
    kernel.make(str(orphan))
    kernel.make(str(orphan / "leaf-1"))
    assert cgroup.sweep_orphans(support) == 1
    assert not orphan.exists()


@pytest.mark.parametrize("name", ["deepgym-1-2-3-0", "deepgym-probe-77", "deepgym-x", "other"])
def test_groups_that_may_be_somebody_elses_are_left_alone(kernel, name):
    kernel.make(str(kernel.base / name))
    assert cgroup.sweep_orphans(support_v2(kernel)) == 0
    assert (kernel.base / name).is_dir()


def test_a_living_owners_group_is_left_alone(kernel):
    support = support_v2(kernel)
    pool = CgroupPool(support)
    assert cgroup.sweep_orphans(support) == 0
    assert pool.acquire(CgroupLimits()) is not None
