"""Batches and streams around a scripted backend: order, equal answers, bounds, cancelling, mistakes of the caller."""

import asyncio
import gc
import io
import json
import os
import signal
import sys
import threading
import time

import pytest

import deepgym.client
from deepgym import DeepGym, Environment, UsageError, VerifierSyntaxError
from tests.unit.deepgym.scripted import ScriptedBackend

VERIFIER = "def verify(solution_path, test_cases_path=None):\n    return 1.0\n"


@pytest.fixture
def backend(monkeypatch):
    scripted = ScriptedBackend()
    monkeypatch.setattr(deepgym.client, "open_backend", lambda mode, **_: scripted)
    return scripted


@pytest.fixture
def client(backend):
    with DeepGym(max_parallel=4) as made:
        yield made


def environment(**fields):
    return Environment(**{"task": "t", "verifier_code": VERIFIER, **fields})


def answer(**fields):
    return json.dumps(fields)


def distinct(count, **fields):
    return [answer(number=number, **fields) for number in range(count)]


def test_results_come_in_the_order_of_the_answers(client):
    outputs = [answer(score=number / 10, sleep=(10 - number) / 500) for number in range(10)]
    batch = client.run_batch(environment(), outputs)
    assert batch.rewards == [number / 10 for number in range(10)]
    assert batch.execution_time_ms > 0


def test_an_empty_batch_is_a_batch(client):
    assert client.run_batch(environment(), []).total == 0
    assert list(client.stream(environment(), iter(()))) == []


@pytest.mark.parametrize("name", ["double", b"double", {"task": "t"}])
def test_a_name_in_an_environments_place_is_refused_as_one(client, backend, name):
    for start in (client.run_batch, lambda *args: list(client.stream(*args))):
        with pytest.raises(TypeError, match=r"must be an Environment or several, not .*load_environment"):
            start(name, distinct(6))
    assert backend.jobs == []


def test_a_stream_gives_results_as_they_come_with_their_index(client):
    outputs = [answer(sleep=0.3), answer(score=0.5), answer(score=0.25)]
    came = [(index, result.score) for index, result in client.stream(environment(), outputs)]
    assert came[-1] == (0, 1.0)
    assert sorted(came) == [(0, 1.0), (1, 0.5), (2, 0.25)]


@pytest.mark.parametrize("asked", [None, 1, 7])
def test_no_more_than_max_parallel_run_at_once(client, backend, asked):
    client.run_batch(environment(), distinct(30, sleep=0.005), asked)
    assert backend.most_running == (asked or 4)


def test_by_default_the_cores_of_this_process_are_the_bound(backend):
    with DeepGym() as client:
        assert 1 <= client.max_parallel <= len(os.sched_getaffinity(0))


def test_equal_answers_are_judged_once_and_say_so(client, backend):
    batch = client.run_batch(environment(), ["a", "b", "a", "a", "b"])
    assert len(backend.jobs) == 2
    assert [result.deduplicated_from for result in batch.results] == [None, None, 0, 0, 1]
    assert batch.rewards == [1.0] * 5


def test_equal_answers_wait_for_the_one_under_way(client, backend):
    slow = answer(sleep=0.05)
    client.run_batch(environment(), [slow] * 40)
    assert len(backend.jobs) == 1


def test_equal_answers_to_a_nondeterministic_environment_are_each_judged(client, backend):
    batch = client.run_batch(environment(deterministic=False), ["a"] * 3)
    assert len(backend.jobs) == 3
    assert {result.deduplicated_from for result in batch.results} == {None}


def test_equal_answers_to_other_environments_are_each_judged(client, backend):
    others = [
        environment(),
        environment(timeout=29.0),
        environment(support_files={"a": "b"}),
        environment(seed=1),
    ]
    batch = client.run_batch(others, ["a"] * len(others))
    assert len(backend.jobs) == len(others)
    assert {result.deduplicated_from for result in batch.results} == {None}


def test_equal_answers_to_equal_environments_are_judged_once(client, backend):
    client.run_batch([environment(), environment(task="the same verifier", name="x")], ["a", "a"])
    assert len(backend.jobs) == 1


def test_an_answer_without_a_verdict_lends_none_to_its_equals(client, backend):
    batch = client.run_batch(environment(), [answer(ending="lost")] * 3 + ["fine"])
    assert len(backend.jobs) == 4
    assert batch.rewards == [None, None, None, 1.0]
    assert {result.deduplicated_from for result in batch.results} == {None}


def test_a_stream_forgets_old_verdicts_and_judges_again(client, backend, monkeypatch):
    monkeypatch.setattr("deepgym.batch.STREAM_MEMORY_BYTES", 10_000)
    feed = deepgym.batch.Feed(client._runner, environment(), [])
    outputs = ["first", *distinct(200), "first"]
    stream = deepgym.batch.stream(
        client._runner, feed, outputs, max_parallel=4, progress=False, memory_bytes=10_000
    )
    assert sum(1 for _ in stream) == 202
    assert len(backend.jobs) == 202


def test_all_answers_to_an_environment_face_the_same_secret_cases(client, backend):
    one, other = environment(), environment(timeout=29.0)
    for _ in range(2):
        client.run_batch([one, other, one, other], distinct(4))
    seeds = [job.case_seed for job in backend.jobs]
    first, second = seeds[:4], seeds[4:]
    assert len(set(first)) == len(set(second)) == 2
    assert not set(first) & set(second)


def test_the_seed_of_an_environment_is_its_own(client, backend):
    client.run_batch(environment(seed=7), distinct(3))
    assert {job.case_seed for job in backend.jobs} == {7}


def test_a_stream_takes_a_bounded_number_of_answers_ahead(client):
    taken = 0

    def answers():
        nonlocal taken
        for number in range(1000):
            taken += 1
            yield f"answer {number}"

    ahead = 0
    for come, _ in enumerate(client.stream(environment(), answers())):
        ahead = max(ahead, taken - come)
    assert taken == 1000
    assert ahead <= 65


def test_whoever_stops_taking_results_stops_new_runs(client, backend):
    stream = client.stream(environment(), (f"answer {number}" for number in range(100_000)))
    next(stream)
    time.sleep(0.2)
    assert len(backend.jobs) <= 65
    stream.close()


def _resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as handle:
        return int(handle.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
def test_a_hundred_thousand_answers_stream_in_flat_memory(client, backend):
    backend.remembers = False
    seen = {}
    outputs = (f"# {number:04096d}" for number in range(100_000))
    for come, _ in enumerate(client.stream(environment(), outputs, 16), 1):
        if come in (30_000, 100_000):
            gc.collect()
            seen[come] = _resident_bytes()
    assert seen[100_000] - seen[30_000] < 32 * 1024 * 1024  # the answers alone are 400 MB


def test_closing_a_stream_ends_what_is_under_way(client, backend):
    stream = client.stream(environment(), ["quick", *distinct(20, sleep=60)])
    assert next(stream)[0] == 0
    begun = time.monotonic()
    stream.close()
    assert time.monotonic() - begun < 2
    assert backend.running == 0


def test_an_exception_in_the_loop_over_a_stream_ends_what_is_under_way(client, backend):
    def use():
        for _ in client.stream(environment(), ["quick", *distinct(20, sleep=60)]):
            raise LookupError

    with pytest.raises(LookupError):
        use()
    gc.collect()
    assert backend.running == 0


def test_an_exception_of_the_callers_generator_comes_through(client, backend):
    def answers():
        yield from distinct(3, sleep=60)
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        list(client.stream(environment(), answers()))
    assert backend.running == 0


def test_cancelling_a_task_ends_what_is_under_way(client, backend):
    async def main():
        task = asyncio.create_task(client.arun_batch(environment(), distinct(20, sleep=60)))
        await backend.until_running(4)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 5)
        assert backend.running == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert backend.cancelled == 4


def test_leaving_an_async_stream_early_ends_what_is_under_way(client, backend):
    async def main():
        stream = client.astream(environment(), ["quick", *distinct(20, sleep=60)])
        async for index, _ in stream:
            assert index == 0
            break
        await stream.aclose()
        assert backend.running == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


def test_ctrl_c_ends_a_batch_at_once(client, backend):
    def press():
        deadline = time.monotonic() + 10
        while backend.running < 4 and time.monotonic() < deadline:
            time.sleep(0.005)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press)
    presser.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        client.run_batch(environment(), distinct(20, sleep=60))
    presser.join()
    assert time.monotonic() - begun < 5
    assert backend.running == 0
    assert not [thread for thread in threading.enumerate() if thread.name == "deepgym-batch"]


def test_a_batch_runs_where_an_event_loop_is_running(client):
    async def cell():
        stream = [index for index, _ in client.stream(environment(), distinct(3))]
        return client.run_batch(environment(), distinct(5)).total, len(stream)

    assert asyncio.run(cell()) == (5, 3)


def test_answers_are_judged_while_others_are_generated(client):
    async def main():
        come = asyncio.Queue()

        async def answers():
            yield "first"
            yield await come.get()

        stream = client.astream(environment(), answers())
        index, _ = await asyncio.wait_for(anext(stream), 5)
        assert index == 0
        await come.put("second")
        assert [index async for index, _ in stream] == [1]

    asyncio.run(main())


def test_a_batch_takes_an_async_iterable(client):
    async def answers():
        for number in range(5):
            yield answer(score=number / 4)

    batch = asyncio.run(client.arun_batch(environment(), answers()))
    assert batch.rewards == [0.0, 0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("envs", "outputs", "error", "says"),
    [
        (environment(), "one text", TypeError, "not one str"),
        (environment(), 5, TypeError, "not one int"),
        (environment(), ["fine", None], TypeError, r"outputs\[1\] must be a str, not NoneType"),
        (5, ["fine"], TypeError, "must be an Environment or several, not int"),
        ([environment(), "no"], ["a", "b"], TypeError, "environment 1 must be an Environment, not str"),
        ([environment()], ["a", "b"], UsageError, "2 answers and 1 environments"),
    ],
)
def test_the_callers_mistakes_are_raised_before_anything_runs(client, backend, envs, outputs, error, says):
    with pytest.raises(error, match=says):
        client.run_batch(envs, outputs)
    assert backend.jobs == []


def test_a_verifier_that_does_not_parse_is_raised_before_anything_runs(client, backend):
    broken = environment(verifier_code="def verify(:\n")
    with pytest.raises(VerifierSyntaxError) as caught:
        client.run_batch([environment(), broken], ["a", "b"])
    assert caught.value.lineno == 1
    with pytest.raises(VerifierSyntaxError):
        client.stream(broken, iter(["a"]))
    assert backend.jobs == []


def test_in_a_stream_a_verifier_that_does_not_parse_costs_its_own_answers_only(client):
    broken = environment(verifier_code="x = 1\ndef verify(:\n")
    envs = iter([environment(), broken, environment()])
    results = dict(client.stream(envs, ["a", "b", "c"]))
    assert [results[index].has_verdict for index in range(3)] == [True, False, True]
    assert results[1].error_type == "verifier_error"
    assert "line 2" in results[1].details


@pytest.mark.parametrize(("envs", "outputs"), [(1, 2), (2, 1)])
def test_a_stream_says_when_answers_and_environments_do_not_match(client, envs, outputs):
    with pytest.raises(UsageError, match="only 1"):
        list(client.stream((environment() for _ in range(envs)), (f"{n}" for n in range(outputs))))


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "2"])
def test_max_parallel_is_a_whole_number_of_at_least_one(client, wrong):
    with pytest.raises(UsageError, match="max_parallel"):
        client.run_batch(environment(), ["a"], wrong)
    with pytest.raises(UsageError, match="max_parallel"):
        DeepGym(max_parallel=wrong)


def test_a_defect_of_a_backend_is_raised_and_ends_the_batch(client, backend):
    with pytest.raises(RuntimeError, match="defect"):
        client.run_batch(environment(), [answer(explode="defect"), *distinct(3, sleep=60)])
    assert backend.running == 0


@pytest.mark.parametrize("how", ["run", "batch", "stream"])
def test_a_doubtful_time_out_is_judged_once_more_alone(client, backend, how):
    doubtful = answer(doubtful="first", sleep=0.02)
    outputs = [*distinct(3, sleep=0.02), doubtful, *distinct(12, sleep=0.03)]
    if how == "run":
        result = client.run(environment(), doubtful)
    elif how == "batch":
        result = client.run_batch(environment(), outputs)[3]
    else:
        result = dict(client.stream(environment(), outputs))[3]
    assert result.score == 1.0
    assert result.attempts == 2
    assert backend.beside[doubtful][1] == 0
    assert how == "run" or backend.beside[doubtful][0] > 0


def test_a_time_out_that_stays_one_is_a_time_out(client, backend):
    doubtful = answer(doubtful="always")
    result = client.run_batch(environment(), [doubtful, "other"])[0]
    assert (result.score, result.error_type, result.attempts) == (0.0, "solution_timeout", 2)
    assert len(backend.jobs) == 3


def test_a_function_hears_how_far_the_batch_has_come(client):
    heard = []
    client.run_batch(environment(), distinct(5), progress=lambda done, total: heard.append((done, total)))
    assert heard == [(number, 5) for number in range(1, 6)]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("on_terminal", "option", "shows"), [(True, True, True), (True, False, False), (False, True, False), (True, None, False)])  # fmt: skip
def test_a_bar_is_shown_on_a_terminal_only(client, monkeypatch, on_terminal, option, shows):
    monkeypatch.setenv("TERM", "xterm")
    err = Terminal() if on_terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    client.run_batch(environment(), [*distinct(4, sleep=0.1), answer(ending="lost")], progress=option)
    assert ("4 passed, 1 without verdict" in err.getvalue()) is shows
    assert shows or err.getvalue() == ""


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning"
)  # newer Pythons warn of fork() beside threads: it is the test
def test_a_stream_does_not_go_on_in_a_forked_process(client):
    stream = client.stream(environment(), distinct(100, sleep=0.01))
    next(stream)
    pid = os.fork()
    if pid == 0:
        try:
            while True:
                next(stream)
        except RuntimeError as exc:
            os._exit(7 if "fork" in str(exc) else 8)
        os._exit(9)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 7
    assert sum(1 for _ in stream) == 99
