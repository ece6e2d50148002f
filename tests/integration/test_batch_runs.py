"""Batches on the local backend: real judges, real solutions, nothing left, the same every time and under any load."""

import asyncio
import os
import sys
import threading
import time

import pytest

from deepgym import DeepGym, Environment
from tests.integration.processes import family, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the local backend's hosts are Linux's")

VERIFIER = """
from deepgym_solution import load_solution, run_seed

def verify(solution_path, test_cases_path=None):
    sol = load_solution(solution_path)
    right = sum(sol.square(n) == n * n for n in range(4))
    return {"score": right / 4, "passed": right == 4, "details": f"cases of {run_seed()}"}
"""
RIGHT = "def square(n): return n * n\n"
HANGING = "import time\ntime.sleep(600)\n"


def environment(**fields):
    return Environment(**{"task": "t", "verifier_code": VERIFIER, **fields})


@pytest.fixture(scope="module")
def client():
    with DeepGym() as made:
        yield made


def answers(count, text=RIGHT):
    return [f"{text}# {number}\n" for number in range(count)]


def test_every_kind_of_answer_gets_its_own_result_in_its_place(client):
    outputs = [
        RIGHT,
        "def square(n): return n",
        "def square(n): raise ValueError(n)",
        "import os\nos._exit(3)",
        "def square(n:",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "def square(n):\n    while True: pass",
        RIGHT,
    ]
    batch = client.run_batch(environment(case_timeout=0.3), outputs)
    assert batch.rewards == [1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    kinds = [result.error_type for result in batch.results]
    assert kinds[:3] == [None, None, "solution_error"]
    assert kinds[6] == "solution_timeout"
    assert batch[7].deduplicated_from == 0
    assert (batch.total, batch.passed, batch.no_verdict_count) == (8, 2, 0)


def test_all_answers_face_the_same_cases_and_the_next_batch_other_ones(client):
    first, second = (
        {result.details for result in client.run_batch(environment(), answers(6)).results} for _ in range(2)
    )
    assert len(first) == len(second) == 1
    assert first != second


@pytest.mark.parametrize("how", ["task", "stream"])
def test_cancelling_leaves_no_run_and_keeps_the_client(client, how):
    client.run(environment(), RIGHT)
    before = family()

    async def cancel_task():
        task = asyncio.create_task(client.arun_batch(environment(), answers(8, HANGING), 4))
        while len(set(family()) - set(before)) < 4:  # noqa: ASYNC110 - processes have no event to wait for
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    def leave_stream():
        stream = client.stream(environment(), [RIGHT, *answers(8, HANGING)], 4)
        next(stream)
        stream.close()

    begun = time.monotonic()
    if how == "task":
        asyncio.run(cancel_task())
    else:
        leave_stream()
    wait_until(lambda: not set(family()) - set(before), "no run left")
    assert time.monotonic() - begun < 20
    assert client.run(environment(), RIGHT).passed


def test_batches_of_many_threads_share_a_client(client):
    batches = {}

    def work(number):
        batches[number] = client.run_batch(environment(), answers(5, f"{RIGHT}# thread {number}\n"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(batch.rewards == [1.0] * 5 for batch in batches.values())


TELLING = """
import os, random, sys, time
from deepgym_solution import load_solution, run_seed

def verify(solution_path, test_cases_path=None):
    print(sorted(os.environ), time.tzname, sys.getfilesystemencoding(), os.listdir("."))
    print({"some", "words", "in", "a", "set"}, random.random(), run_seed())
    sol = load_solution(solution_path)
    got = sol.answer(3)
    print(repr(got))
    return {"score": 0.5, "passed": False, "details": repr(got), "metrics": {"got": repr(got)}}
"""
# What a model may write: values, errors and tracebacks of every kind.
TOLD = {
    "set": "def answer(n): return {'a', 'b', 'c', 'd', 'e', n}",
    "hash": "def answer(n): return [hash('text'), hash((n, 'x', 2.5)), hash(frozenset('abc'))]",
    "random": "import random\ndef answer(n): return [random.random() for _ in range(n)]",
    "shuffle": "import random\ndef answer(n):\n    xs = list(range(50)); random.shuffle(xs); return xs",
    "numpy-free sample": "import random\ndef answer(n): return random.sample(range(1000), n)",
    "raises": "def answer(n):\n    d = {'k': n}\n    return d['missing']",
    "raises deep": "def answer(n):\n    if n: return answer(n - 1)\n    raise ValueError({'x', 'y', 'z'})",
    "raises at import": "import not_there",
    "syntax error": "def answer(n:\n    pass",
    "recursion": "def answer(n): return answer(n)",
    "exits": "import sys\ndef answer(n): sys.exit(4)",
    "dies": "import os\ndef answer(n): os._exit(5)",
    "prints": "def answer(n):\n    print('hello', {'p', 'q', 'r'})\n    return n",
    "unplain": "from decimal import Decimal\ndef answer(n): return Decimal(n)",
    "missing": "x = 1",
    "empty": "",
    "surrogate": "def answer(n): return '\\ud800' * n",
    "own exception": "class Mine(KeyError): pass\ndef answer(n): raise Mine('k')",
    "chained": "def answer(n):\n    try: 1 / 0\n    except ZeroDivisionError as e: raise OSError(2, 'no') from e",
    "directory": "import os\ndef answer(n): return sorted(os.listdir('/'))",
    "environment": "import os\ndef answer(n): return sorted(os.environ.items())",
    "zone": "import time\ndef answer(n): return [time.tzname, time.localtime(0).tm_hour]",
    "locale": "import locale, sys\ndef answer(n): return [locale.getlocale(), sys.flags.utf8_mode]",
    "module names": "import sys\ndef answer(n): return [__name__, __file__, sys.argv]",
    "threads": "import threading\ndef answer(n):\n    t = threading.Thread(target=print); t.start(); t.join(); return n",
    "no timeout": "def answer(n):\n    while n: pass",
}


def without_timings(result):
    return result.model_copy(update={"execution_time_ms": 0.0, "attempts": 1}).model_dump_json()


def test_the_same_run_twice_gives_the_same_bytes_apart_from_timings(client):
    env = environment(verifier_code=TELLING, seed=11, case_timeout=0.5)
    first = client.run_batch(env, list(TOLD.values()), 2)
    with DeepGym() as another:
        second = another.run_batch(env, list(reversed(TOLD.values())), 1).results[::-1]
    for name, one, other in zip(TOLD, first.results, second, strict=True):
        assert without_timings(one) == without_timings(other), name
    assert len({result.model_dump_json() for result in first.results}) == len(TOLD)


def test_the_caller_s_locale_zone_and_hash_seed_change_nothing(client, monkeypatch):
    env = environment(verifier_code=TELLING, seed=11)
    outputs = [
        TOLD[name] for name in ("set", "hash", "zone", "locale", "environment", "random", "raises deep")
    ]
    first = client.run_batch(env, outputs)
    for name, value in {
        "PYTHONHASHSEED": "77",
        "TZ": "Asia/Tokyo",
        "LC_ALL": "de_DE.UTF-8",
        "LANG": "C",
    }.items():
        monkeypatch.setenv(name, value)
    with DeepGym() as another:
        second = another.run_batch(env, outputs)
    assert [without_timings(result) for result in first.results] == [
        without_timings(result) for result in second.results
    ]


# Short, for a busy core is what this test costs; long enough for a scheduler's slices to be small beside it.
CASE_TIMEOUT_S = 0.25
BUSY = """
from deepgym_solution import load_solution

def verify(solution_path, test_cases_path=None):
    sol = load_solution(solution_path)
    done = []
    for share in {shares}:
        try:
            done.append(sol.work(share * {limit}))
        except TimeoutError:
            done.append(False)
    return {{"score": sum(done) / len(done), "passed": all(done), "details": repr(done)}}
"""
# A case is one piece of work: it keeps a core busy for so many seconds of its own.
WORK = """
import time
def work(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
    return True
"""


def verdicts(batch):
    return [(result.score, result.passed, result.error_type, result.details) for result in batch.results]


@pytest.mark.slow
def test_two_hundred_answers_get_the_same_verdicts_at_eight_times_oversubscription():
    """Each answer has one case of 0.3 or 0.7 of its limit, some also one that is over it."""
    cores = len(os.sched_getaffinity(0))

    def env(*shares):
        return environment(
            verifier_code=BUSY.format(shares=shares, limit=CASE_TIMEOUT_S),
            case_timeout=CASE_TIMEOUT_S,
            timeout=5.0,
        )

    quick, slow, over = env(0.3), env(0.7), env(0.3, 1.6)
    expected = {id(quick): "[True]", id(slow): "[True]", id(over): "[True, False]"}
    envs = [over if number % 20 == 9 else (quick, slow)[number % 2] for number in range(200)]
    outputs = answers(200, WORK)
    with DeepGym() as client:
        calm = client.run_batch(envs, outputs, cores)
        crowded = client.run_batch(envs, outputs, 8 * cores)
    assert [result.details for result in calm.results] == [expected[id(each)] for each in envs]
    assert verdicts(calm) == verdicts(crowded)


def test_a_whole_run_s_time_is_not_spent_by_others():
    """Many short calls, none of which is near a limit of its own, on a machine where each gets a fraction of a core."""
    code = """
from deepgym_solution import load_solution
def verify(solution_path, test_cases_path=None):
    sol = load_solution(solution_path)
    return all(sol.work(0.005) for _ in range(60))
"""
    env = environment(verifier_code=code, timeout=0.8, case_timeout=5.0)
    with DeepGym() as client:
        batch = client.run_batch(env, answers(16, WORK), 8 * len(os.sched_getaffinity(0)))
    assert [result.details for result in batch.results if not result.passed] == []


def test_threads_that_crowd_each_other_buy_no_time(client):
    crowd = """
import threading, time
def spin():
    while True: pass
def work(seconds):
    for _ in range(20): threading.Thread(target=spin, daemon=True).start()
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
    return True
"""
    code = BUSY.format(shares=(100,), limit=CASE_TIMEOUT_S)
    begun = time.monotonic()
    result = client.run(environment(verifier_code=code, case_timeout=CASE_TIMEOUT_S), crowd)
    assert result.details == "[False]"
    assert time.monotonic() - begun < 10 * CASE_TIMEOUT_S


def test_a_case_that_sleeps_has_its_limit_by_the_clock(client):
    sleeper = "import time\ndef work(seconds):\n    time.sleep(seconds)\n    return True\n"
    code = BUSY.format(shares=(0.7, 1.5), limit=CASE_TIMEOUT_S)
    result = client.run(environment(verifier_code=code, case_timeout=CASE_TIMEOUT_S), sleeper)
    assert result.details == "[True, False]"
