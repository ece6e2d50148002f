"""A client's processes: started late, ended always, replaced when killed, and not shared by mistake."""

import asyncio
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import resource_tracker

import pytest

from deepgym import BackendUnavailableError, DeepGym, Environment
from tests.integration.processes import alive, family, wait_until, wait_until_gone

VERIFIER = """
from deepgym_solution import load_solution

def verify(solution_path, test_cases_path=None):
    return 1.0 if load_solution(solution_path).double(21) == 42 else 0.0
"""
RIGHT = "def double(x): return 2 * x\n"
SLOW = "import time\ndef double(x):\n    time.sleep({})\n    return 2 * x\n"
HANGING = "import time\ntime.sleep(600)\n"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the local backend's hosts are Linux's")


def environment(**fields):
    return Environment(
        **{"task": "t", "verifier_code": VERIFIER, "timeout": 60.0, "case_timeout": 30.0, **fields}
    )


@pytest.fixture
def client():
    with DeepGym() as made:
        yield made


@pytest.fixture(autouse=True)
def nothing_is_left():
    resource_tracker.ensure_running()  # multiprocessing's own, which stays
    before = family()
    yield
    gc.collect()
    wait_until(lambda: not set(family()) - set(before), "no process of the test left")


def since(before):
    """The processes that were started since."""
    return {pid: begun for pid, begun in family().items() if pid not in before}


def busy(before):
    """Processes that were started since: a run is under way once its judge and its solution are there."""
    return len(since(before)) >= 2


def test_nothing_starts_before_the_first_run():
    before = family()
    with DeepGym() as client:
        assert family() == before
        assert client.run(environment(), RIGHT).passed
        assert family() != before


def test_leaving_the_context_ends_everything():
    before = family()
    with DeepGym() as client:
        client.run(environment(), RIGHT)
        mine = since(before)
        assert mine
    assert not alive(mine)


def test_a_client_that_nobody_holds_ends_everything():
    before = family()
    client = DeepGym()
    client.run(environment(), RIGHT)
    mine, gone = since(before), weakref.ref(client)
    del client
    gc.collect()
    assert gone() is None
    wait_until_gone(mine)


def test_a_closed_client_says_so(client):
    client.close()
    client.close()
    with pytest.raises(BackendUnavailableError, match="closed"):
        client.run(environment(), RIGHT)
    with pytest.raises(BackendUnavailableError, match="closed"):
        client.run_batch(environment(), [RIGHT])


def test_closing_a_client_ends_its_runs(client):
    client.run(environment(), RIGHT)
    before = family()
    with ThreadPoolExecutor() as pool:
        run = pool.submit(client.run, environment(), HANGING)
        wait_until(lambda: busy(before), "the run under way")
        client.close()
        with pytest.raises(BackendUnavailableError):
            run.result(timeout=10)


def hosts_of(client):
    pair = client._runner.backend._hosts._pair
    return {"judge": pair.judge, "solution": pair.solution}


def inner_pid(host):
    """The host itself, where that is inside a box."""
    if host.plan.way == "pool":
        return host.pid
    return next(iter(pid for pid in family(host.pid)), host.pid)


def kill_host(client, which):
    """Kill it if it is there."""
    pair = client._runner.backend._hosts._pair
    if pair is None or not pair.is_alive():
        return False
    os.kill(inner_pid({"judge": pair.judge, "solution": pair.solution}[which]), signal.SIGKILL)
    return True


@pytest.mark.parametrize("which", ["judge", "solution"])
@pytest.mark.parametrize("part", ["box", "host"])
def test_a_killed_host_is_replaced_on_the_next_run(client, which, part):
    client.run(environment(), RIGHT)
    host = hosts_of(client)[which]
    old = family()
    victim = host.pid if part == "box" else inner_pid(host)
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: victim not in alive(old), "the host dead")
    result = client.run(environment(), RIGHT)
    assert result.passed
    assert client.run(environment(), RIGHT).attempts == 1
    assert victim not in family()


@pytest.mark.parametrize("which", ["judge", "solution"])
@pytest.mark.parametrize("how", ["run", "arun", "run_batch"])
def test_a_run_whose_host_is_killed_is_tried_once_more(client, which, how):
    client.run(environment(), RIGHT)
    before = family()
    slow = SLOW.format(1.0)

    def run():
        if how == "run":
            return client.run(environment(), slow)
        if how == "arun":
            return asyncio.run(client.arun(environment(), slow))
        return client.run_batch(environment(), [slow])[0]

    with ThreadPoolExecutor() as pool:
        running = pool.submit(run)
        wait_until(lambda: busy(before), "the run under way")
        os.kill(inner_pid(hosts_of(client)[which]), signal.SIGKILL)
        result = running.result(timeout=30)
    assert (result.score, result.error_type, result.attempts) == (1.0, None, 2)


def test_a_run_whose_hosts_are_killed_every_time_has_no_verdict(client):
    client.run(environment(), RIGHT)
    with ThreadPoolExecutor() as pool:
        running = pool.submit(client.run, environment(), HANGING)
        wait_until(lambda: running.done() or kill_host(client, "judge") < 0, "the run given up", 60)
        result = running.result()
    assert (result.has_verdict, result.error_type, result.attempts) == (False, "sandbox_error", 2)


def test_threads_share_a_client(client):
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda n: client.run(environment(), f"{RIGHT}# {n}"), range(24)))
    assert all(result.passed for result in results)
    assert len(hosts_of(client)) == 2


def test_event_loops_of_many_threads_share_a_client(client):
    async def some(number):
        return await asyncio.gather(*(client.arun(environment(), f"{RIGHT}# {number} {n}") for n in range(4)))

    with ThreadPoolExecutor(4) as pool:
        batches = list(pool.map(lambda number: asyncio.run(some(number)), range(4)))
    assert all(result.passed for batch in batches for result in batch)


def test_a_host_outlives_the_thread_that_started_it(client):
    thread = threading.Thread(target=client.run, args=(environment(), RIGHT))
    thread.start()
    thread.join()
    host = hosts_of(client)["judge"]
    assert client.run(environment(), RIGHT).passed
    assert hosts_of(client)["judge"] is host


def test_runs_leave_no_descriptor_open(client):
    async def cancelled():
        task = asyncio.create_task(client.arun(environment(), HANGING))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    client.run(environment(), RIGHT)
    before = len(os.listdir("/proc/self/fd"))
    client.run_batch(environment(), [f"{RIGHT}# {number}" for number in range(10)])
    client.run(environment(), "raise SystemExit")
    asyncio.run(cancelled())
    assert len(os.listdir("/proc/self/fd")) == before


def in_a_fork(work):
    """What work() returns, as an exit status, in a forked process."""
    pid = os.fork()
    if pid == 0:
        status = 99
        try:
            status = int(work())
        finally:
            os._exit(status)
    return pid


def status_of(pid):
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_hosts_of_its_own(client):
    client.run(environment(), RIGHT)
    inherited = set(family())

    def work():
        first = client.run(environment(), RIGHT).passed
        own = set(family())
        return 0 if first and own and not own & inherited else 1

    assert status_of(in_a_fork(work)) == 0
    assert client.run(environment(), RIGHT).attempts == 1


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_forked_during_a_batch_disturbs_nobody(client):
    outputs = [SLOW.format(0.1) + f"# {number}" for number in range(12)]
    statuses = []
    for index, _ in client.stream(environment(), outputs):
        if index in (2, 5):
            statuses.append(in_a_fork(lambda: not client.run(environment(), RIGHT).passed))
    assert [status_of(pid) for pid in statuses] == [0, 0]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_does_not_keep_what_the_caller_ends(client):
    strangers = family()
    client.run(environment(), RIGHT)
    before = family()
    here, there = os.pipe()

    def hold():
        os.close(there)
        os.read(here, 1)
        return 0

    with ThreadPoolExecutor() as pool:
        run = pool.submit(client.run, environment(), HANGING)
        wait_until(lambda: busy(before), "the run under way")
        holder = in_a_fork(hold)
        mine = {pid: begun for pid, begun in since(strangers).items() if pid != holder}
        client.close()
        with pytest.raises(BackendUnavailableError):
            run.result(timeout=10)
        wait_until_gone(mine)
    os.close(there)
    os.close(here)
    assert status_of(holder) == 0


CLIENT = DeepGym()


def _judge_in_worker(number):
    return CLIENT.run(environment(), f"{RIGHT}# {number}").passed


def _judge_with(client, number):
    return client.run(environment(), f"{RIGHT}# {number}").passed


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_multiprocessing_workers_judge(method):
    assert CLIENT.run(environment(), RIGHT).passed
    context = multiprocessing.get_context(method)
    try:
        with context.Pool(2) as pool:
            assert all(pool.map(_judge_in_worker, range(4)))
    finally:
        CLIENT._runner.backend._hosts.pair().close()


def test_a_client_travels_to_another_process_as_its_settings(tmp_path):
    with DeepGym(max_parallel=3, cache=tmp_path / "verdicts.db") as client:
        with pickle.loads(pickle.dumps(client)) as twin:
            assert twin.max_parallel == 3
            assert twin.cache.path == client.cache.path
            assert twin.run(environment(), RIGHT).passed
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.apply(_judge_with, (client, 1))


def caller(code):
    """A caller in a process of its own, in the middle of its run, and all processes it has started."""
    script = f"""
        import asyncio, os, sys, threading
        from deepgym import DeepGym, Environment
        env = Environment(task="t", verifier_code={VERIFIER!r}, timeout=600.0, case_timeout=600.0)
        hanging = [{HANGING!r} + f"# {{n}}" for n in range(6)]
        client = DeepGym(max_parallel=2)
        client.run(env, {RIGHT!r})
        print("ready", flush=True)
    """
    script = textwrap.dedent(script) + textwrap.dedent(code)
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout.readline() == b"ready\n", process.stderr.read()
    return process


UNDER_WAY = {
    "run": "client.run(env, hanging[0])",
    "run_batch": "client.run_batch(env, hanging)",
    "stream": "print(*client.stream(env, hanging))",
    "arun_batch": "asyncio.run(client.arun_batch(env, hanging))",
    "arun": "asyncio.run(client.arun(env, hanging[0]))",
    "thread": "threading.Thread(target=client.run_batch, args=(env, hanging)).start()",
}


def under_way(process):
    """Wait until solutions hang in the caller's boxes; the family of then."""
    before = family(process.pid)
    wait_until(lambda: len(set(family(process.pid)) - set(before)) >= 2 or hangs(process), "runs under way")
    return family(process.pid)


def hangs(process):
    return len(family(process.pid)) >= 6


@pytest.mark.parametrize("how", [how for how in UNDER_WAY if how != "thread"])
def test_ctrl_c_returns_within_a_second_and_leaves_nothing(how):
    process = caller(UNDER_WAY[how])
    members = under_way(process)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=10)
    took = time.monotonic() - begun
    assert b"KeyboardInterrupt" in errors
    wait_until_gone(members)
    # On a free machine; where others want the cores too, it takes its turn.
    crowd = max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0)))
    assert took < 1.0 * crowd


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
@pytest.mark.parametrize("how", ["run", "run_batch", "thread"])
def test_a_caller_that_is_killed_leaves_nothing(number, how):
    process = caller(UNDER_WAY[how])
    members = under_way(process)
    process.send_signal(number)
    process.communicate(timeout=10)
    wait_until_gone(members)


@pytest.mark.parametrize("ending", ["", "sys.exit(3)", "1 / 0", "os._exit(4)"])
def test_a_caller_that_ends_without_closing_leaves_nothing(ending):
    process = caller("sys.stdin.read()\n" + ending)
    members = family(process.pid)
    assert members
    process.communicate(timeout=20)
    wait_until_gone(members)
