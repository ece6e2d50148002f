"""Control groups of this machine, for real: limits hold, processes end, nothing stays."""

import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from deepgym_solution._isolation import cgroup
from deepgym_solution._isolation.cgroup import CgroupLimits, CgroupPool
from deepgym_solution._isolation.cgroup_support import CgroupSupport, detect, parse_mounts, parse_own_groups

MIB = 1024 * 1024
SUPPORT = detect()


def need(*controllers):
    missing = set(controllers) - SUPPORT.controllers
    if missing or not SUPPORT.usable:
        message = f"control groups: {SUPPORT.reason}"
        if "cgroup" in os.environ.get("DEEPGYM_TEST_REQUIRE", "").split(","):
            pytest.fail(message)
        pytest.skip(message)


def groups(owner):
    """The groups of one owner: other programs on the machine may have theirs."""
    return {
        (folder, name)
        for folder in SUPPORT.folders.values()
        for name in os.listdir(folder)
        if name.startswith("deepgym-") and name.split("-")[2] == str(owner)
    }


@pytest.fixture
def pool():
    need()
    pool = CgroupPool(SUPPORT)
    yield pool
    pool.close()
    assert groups(os.getpid()) == set()


class Gated:
    """A child that waits to be told before it runs its code."""

    def __init__(self, code):
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"import sys, os\nsys.stdin.read(1)\n{code}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.pid = self.process.pid

    def finish(self):
        said, _ = self.process.communicate("g", timeout=60)
        return self.process.returncode, said


def test_memory_over_the_limit_ends_the_process_and_is_counted(pool):
    need("memory")
    leaf = pool.acquire(CgroupLimits(memory_bytes=48 * MIB))
    child = Gated("block = bytearray(200 * 1024 * 1024); print(len(block))")
    assert leaf.attach(child.pid)
    assert child.finish() == (-signal.SIGKILL, "")
    usage = leaf.usage()
    assert usage.oom_kills >= 1
    assert 40 * MIB <= usage.memory_peak_bytes <= 48 * MIB
    pool.release(leaf)


def test_without_the_limit_the_same_memory_is_had(pool):
    need("memory")
    leaf = pool.acquire(CgroupLimits())
    child = Gated("block = bytearray(200 * 1024 * 1024); print(len(block))")
    assert leaf.attach(child.pid)
    assert child.finish() == (0, f"{200 * MIB}\n")
    assert leaf.usage().oom_kills == 0
    pool.release(leaf)


FORKS = """
started = 0
try:
    for _ in range(20):
        pid = os.fork()
        if pid == 0:
            import threading
            time.sleep(30)
            os._exit(0)
        started += 1
except OSError:
    pass
print(started, flush=True)
"""


def test_processes_over_the_limit_do_not_start_and_are_counted(pool):
    need("pids")
    leaf = pool.acquire(CgroupLimits(processes=5))
    child = Gated(FORKS)
    assert leaf.attach(child.pid)
    child.process.stdin.write("g")
    child.process.stdin.close()
    assert child.process.stdout.readline() == "4\n"
    assert leaf.usage().forks_refused == 1
    pool.release(leaf)
    # Released means killed: the four sleepers held the pipe open.
    assert select.select([child.process.stdout], [], [], 10)[0]
    assert child.process.stdout.read() == ""
    child.process.wait(10)
    child.process.stdout.close()
    child.process.stderr.close()


def test_a_processor_limit_slows_the_process_down(pool):
    need("cpu")
    leaf = pool.acquire(CgroupLimits(cpus=0.2))
    code = "import time\nend = time.monotonic() + 1\nwhile time.monotonic() < end: pass\nprint(time.process_time())"
    child = Gated(code)
    assert leaf.attach(child.pid)
    code, said = child.finish()
    assert code == 0
    assert float(said) < 0.6
    pool.release(leaf)


def test_children_of_an_attached_process_are_in_the_leaf_and_die_with_it(pool):
    leaf = pool.acquire(CgroupLimits())
    child = Gated(
        "pid = os.fork()\nif pid == 0: os.setsid()\nprint(1, flush=True)\nimport time\ntime.sleep(60)"
    )
    assert leaf.attach(child.pid)
    child.process.stdin.write("g")
    child.process.stdin.close()
    child.process.stdout.readline()
    child.process.stdout.readline()
    assert len(leaf.pids()) == 2
    assert leaf.kill()
    assert leaf.pids() == set()
    assert child.process.wait(10) == -signal.SIGKILL
    child.process.stdout.close()
    child.process.stderr.close()


def test_attaching_a_process_that_is_gone_is_false_with_a_reason(pool):
    child = subprocess.Popen(["/bin/true"])
    child.wait()
    leaf = pool.acquire(CgroupLimits())
    assert leaf.attach(child.pid) is False
    assert "No such process" in leaf.reason


def test_a_forked_copy_of_the_pool_does_nothing(pool):
    leaf = pool.acquire(CgroupLimits())
    before = groups(os.getpid())
    pid = os.fork()
    if pid == 0:
        pool.close()
        os._exit(0 if pool.acquire(CgroupLimits()) is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert groups(os.getpid()) == before
    pool.release(leaf)


def test_what_a_killed_owner_left_is_removed_by_the_next_pool():
    need()
    code = (
        "import time\n"
        "from deepgym_solution._isolation.cgroup import CgroupLimits, CgroupPool\n"
        "pool = CgroupPool()\nleaf = pool.acquire(CgroupLimits())\n"
        "import subprocess\nchild = subprocess.Popen(['/bin/sleep', '60'])\n"
        "print(leaf.attach(child.pid), child.pid, flush=True)\ntime.sleep(60)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent.parent)}
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment)
    attached, sleeper = owner.stdout.readline().split()
    assert attached == "True"
    owner.kill()
    owner.wait()
    owner.stdout.close()
    assert len(groups(owner.pid)) == len(set(SUPPORT.folders.values()))
    CgroupPool(SUPPORT).close()
    assert groups(owner.pid) == set()
    assert (
        not os.path.exists(f"/proc/{sleeper}") or "Z" in Path(f"/proc/{sleeper}/stat").read_text().split()[2]
    )


def test_a_leaf_that_holds_a_zombie_is_removed_all_the_same(pool):
    leaf = pool.acquire(CgroupLimits())
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(writer)
        os.read(reader, 1)
        os._exit(0)
    os.close(reader)
    assert leaf.attach(pid)
    os.close(writer)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    collector = threading.Timer(0.2, os.waitpid, (pid, 0))
    collector.start()
    pool.close()
    assert groups(os.getpid()) == set()
    collector.join()


def test_the_unified_hierarchy_attaches_kills_and_removes_where_it_is_mounted():
    mounts = [
        mount for mount in parse_mounts(Path("/proc/self/mountinfo").read_text()) if mount.kind == "cgroup2"
    ]
    if not mounts or os.getuid() != 0:
        pytest.skip("no cgroup v2 mount that this user can write")
    own = parse_own_groups(Path("/proc/self/cgroup").read_text()).get("", "/")
    folder = os.path.join(mounts[0].point, own.lstrip("/"))
    name = f"deepgym-test-{os.getpid()}"
    try:
        os.mkdir(os.path.join(folder, name))
    except OSError as error:
        pytest.skip(f"{folder}: {error.strerror}")
    # A leaf without controllers still groups processes, which is what killing and removing need.
    leaf = cgroup.Leaf(CgroupSupport(2), {"memory": os.path.join(folder, name)})
    child = subprocess.Popen(["/bin/sleep", "60"])
    assert leaf.attach(child.pid)
    assert leaf.pids() == {child.pid}
    assert leaf.kill()
    assert child.wait(10) == -signal.SIGKILL
    assert leaf._remove()
    assert not os.path.exists(os.path.join(folder, name))
