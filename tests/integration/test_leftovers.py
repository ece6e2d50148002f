"""Nothing is left of a run, whatever happened in it: no process, descriptor, memory file, folder, mount or memory."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deepgym import DeepGym, Environment
from tests.integration.conftest import client_for, close_client
from tests.integration.processes import family, wait_until

VERIFIER = """
import os, tempfile
from deepgym_solution import SolutionError, load_solution, read_output, run_solution

def verify(solution_path):
    print(os.path.dirname(solution_path))
    sol = load_solution(solution_path)
    if hasattr(sol, "PROGRAM"):
        with tempfile.TemporaryDirectory() as cwd:
            done = run_solution(solution_path, cwd=cwd)
            return float(done.returncode == 0 and read_output("out", cwd) == "x")
    return sum(sol.f(n) == n + 1 for n in range(5)) / 5
"""
ENVIRONMENT = Environment(
    task="t", verifier_code=VERIFIER, case_timeout=0.15, timeout=20, memory_mb=512, output_mb=5
)

# Each kind of answer, and the scores it may earn.
ANSWERS = {
    "right": ("def f(x): return x + 1", {1.0}),
    "wrong": ("def f(x): return x", {0.0}),
    "partly right": ("def f(x): return x + (x < 3)", {0.6}),
    "raising": ("def f(x): raise ValueError(x)", {0.0}),
    "broken": ("def f(x:", {0.0}),
    "leaving": ("import os\ndef f(x): os._exit(3)", {0.0}),
    "crashing": ("import ctypes\ndef f(x): ctypes.string_at(0)", {0.0}),
    "hanging": ("def f(x):\n    while True: pass", {0.0}),
    "sleeping": ("import time\ndef f(x): time.sleep(50)", {0.0}),
    "flooding": ("def f(x):\n    while True: print('x' * 100_000)", {0.0}),
    "printing": ("def f(x):\n    print('x' * 200_000)\n    return x + 1", {1.0}),
    "leaving children": (
        "import os, time\ndef f(x):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(50)\n    return x + 1",
        {1.0},
    ),
    "starting threads": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(50,), daemon=True).start()\ndef f(x): return x + 1",
        {1.0},
    ),
    "writing files": (
        "def f(x):\n    for n in range(20): open(f'{x}-{n}', 'w').write('x' * 10_000)\n    return x + 1",
        {1.0},
    ),
    "a program": ("PROGRAM = 1\nif __name__ == '__main__': open('out', 'w').write('x')", {1.0}),
    "breaking the protocol": ("import os\ndef f(x): os.write(3, b'x' * 50); return x + 1", {0.0}),
}


@pytest.fixture(autouse=True)
def _no_boxes_that_come_and_go():
    """Pre-started boxes are replaced some time after they were used: they would be taken for something left behind."""
    close_client("pool")


def left_behind():
    """What there is of each thing that a run could leave, among all that is this test's own."""
    hosts = family()
    groups = {group_of(pid) for pid in hosts} - {group_of("self")}
    return {
        "processes": set(hosts),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "descriptors of hosts": {pid: count_descriptors(pid) for pid in hosts},
        "mounts": [
            line for line in Path("/proc/self/mountinfo").read_text().splitlines() if "deepgym" in line
        ],
        "control groups": sorted(folder for group in groups for folder, _, _ in os.walk(group)),
    }


def group_of(pid):
    """The folder of a process's control group, in the hierarchy that limits memory."""
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return ""
    for line in lines:
        number, names, path = line.split(":", 2)
        if number == "0" or "memory" in names.split(","):
            return f"/sys/fs/cgroup/{names and 'memory'}{path}"
    return ""


def at_rest():
    """The same, once what the last run left has ended: it no longer changes."""
    seen = [left_behind()]

    def is_steady():
        time.sleep(0.05)
        seen.append(left_behind())
        return len(seen) > 4 and all(each == seen[-1] for each in seen[-5:])

    wait_until(is_steady, "a machine at rest")
    return seen[-1]


def wait_until_as(before):
    """Wait until everything is as it was; say what is not."""
    try:
        wait_until(lambda: left_behind() == before, "as before")
    except AssertionError:
        now = left_behind()
        changed = {name: (before[name], now[name]) for name in before if before[name] != now[name]}
        raise AssertionError(f"left behind (before, now): {changed}") from None


def count_descriptors(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return None


def resident_kb(pid):
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmRSS:", 1)[1].split()[0])


@pytest.mark.parametrize("way", ["nested", "plain"])
@pytest.mark.parametrize("kind", ANSWERS)
def test_nothing_is_left_of_a_run_with_an_answer_that_is(kind, way):
    client = client_for(way)
    answer, scores = ANSWERS[kind]
    client.run(ENVIRONMENT, "def f(x): return x + 1")
    before = at_rest()
    for _ in range(3):
        result = client.run(ENVIRONMENT, answer)
        assert result.has_verdict
        assert result.score in scores, result
        folder = result.stdout.strip()
        if way == "plain":
            wait_until(lambda folder=folder: not os.path.exists(folder), f"{folder} removed")
    wait_until_as(before)


def test_nothing_is_left_of_a_run_that_is_given_up():
    client = client_for("nested")
    client.run(ENVIRONMENT, "def f(x): return x + 1")
    before = at_rest()
    env = Environment(task="t", verifier_code="import time\ntime.sleep(60)", timeout=0.2)
    for _ in range(3):
        assert client.run(env, "").error_type == "verifier_timeout"
    wait_until_as(before)


@pytest.mark.slow
def test_two_thousand_mixed_runs_leave_the_machine_as_it_was():
    kinds = [kind for kind in ANSWERS if kind not in {"hanging", "sleeping", "flooding"}]
    # What hangs costs its time; one in forty is enough to hit every neighbour.
    jobs = [kinds[number % len(kinds)] for number in range(2000)]
    jobs[::40] = [("hanging", "sleeping", "flooding")[number % 3] for number in range(len(jobs[::40]))]
    with DeepGym(mode="local") as client, ThreadPoolExecutor(4) as pool:

        def one(kind):
            answer, scores = ANSWERS[kind]
            result = client.run(ENVIRONMENT, answer)
            return None if result.has_verdict and result.score in scores else (kind, result)

        odd = [found for found in pool.map(one, jobs[:200]) if found]
        before = at_rest()
        memory = {pid: resident_kb(pid) for pid in before["processes"]}
        odd += [found for found in pool.map(one, jobs[200:]) if found]
        assert not odd, odd[:3]
        wait_until_as(before)
        grown = {pid: resident_kb(pid) - size for pid, size in memory.items()}
        assert max(grown.values()) < 4_000, grown
