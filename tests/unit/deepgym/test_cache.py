"""Verdicts on disk: what is kept, under which key, and what a damaged, full or busy file does."""

import json
import multiprocessing
import os
import sqlite3

import pytest

import deepgym.client
from deepgym import DeepGym, Environment, RunResult, UsageError
from deepgym.cache import VerdictCache, cache_key
from deepgym.jobs import JobMaker
from tests.unit.deepgym.scripted import ScriptedBackend

VERIFIER = "def verify(solution_path, test_cases_path=None):\n    return 1.0\n"
SEEDED = "from deepgym_solution import run_seed\n" + VERIFIER


def environment(**fields):
    return Environment(**{"task": "t", "verifier_code": VERIFIER, **fields})


def verdict(**fields):
    return RunResult(**{"score": 0.5, "passed": False, "has_verdict": True, **fields})


@pytest.fixture
def cache(tmp_path):
    made = VerdictCache(tmp_path / "folder" / "verdicts.db")
    yield made
    made.close()


@pytest.fixture
def backend(monkeypatch):
    scripted = ScriptedBackend()
    monkeypatch.setattr(deepgym.client, "open_backend", lambda mode, **_: scripted)
    return scripted


def key_of(env, output="a", *, case_seed=1, mode="local"):
    prepared = JobMaker().prepare(env)
    return cache_key(prepared, prepared.job(output, case_seed=case_seed), mode=mode)


def test_what_is_kept_comes_back_whole_and_says_so(cache):
    result = verdict(
        details="odd \ud800 text", stdout="x" * 1000, cases=[{"id": "a", "passed": True, "score": 1.0}]
    )
    cache.put(b"key", result)
    assert cache.get(b"key") == result.model_copy(update={"cached": True})
    assert cache.get(b"other") is None
    assert len(cache) == 1


def test_it_is_there_for_the_next_process(cache):
    cache.put(b"key", verdict())
    cache.close()
    again = VerdictCache(cache.path)
    assert again.get(b"key") is not None
    again.close()


def test_clear_forgets_all(cache):
    cache.put(b"key", verdict())
    cache.clear()
    assert len(cache) == 0
    assert cache.get(b"key") is None


def test_a_key_is_the_same_for_all_that_decides_nothing():
    assert key_of(environment()) == key_of(
        environment(task="other", name="n", tags=("x",), metadata={"a": 1})
    )
    assert key_of(environment(), case_seed=1) == key_of(environment(), case_seed=2)
    one = {"a": "1", "b": "2"}
    other = {"b": "2", "a": "1"}
    assert key_of(environment(support_files=one)) == key_of(environment(support_files=other))


@pytest.mark.parametrize(
    "fields",
    [
        {"verifier_code": VERIFIER + "\n"},
        {"support_files": {"a": "b"}},
        {"test_cases": [1]},
        {"timeout": 29.0},
        {"case_timeout": 9.0},
        {"pass_threshold": 0.5},
        {"memory_mb": 512},
        {"processes": 8},
        {"open_files": 64},
        {"file_size_mb": 1},
        {"tmp_mb": 1},
        {"output_mb": 1},
        {"cpu_time_s": 5.0},
        {"env_vars": {"A": "b"}},
        {"seed": 3},
        {"min_isolation": "process"},
        {"image": "python:3.11"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_a_key_changes_with_everything_that_decides(fields):
    assert key_of(environment(**fields)) != key_of(environment())


def test_a_key_changes_with_the_answer_the_place_the_interpreter_and_deepgym(monkeypatch):
    base = key_of(environment())
    assert key_of(environment(), "b") != base
    assert key_of(environment(), mode="docker") != base
    for patched in ("sys.version", "deepgym.cache._version"):
        deepgym.cache._machine_digest.cache_clear()
        with monkeypatch.context() as patch:
            patch.setattr(patched, "another" if patched == "sys.version" else lambda: "another")
            assert key_of(environment()) != base
    deepgym.cache._machine_digest.cache_clear()
    assert key_of(environment()) == base


def test_what_may_not_stand_for_another_run_has_no_key():
    assert key_of(environment(deterministic=False)) is None
    assert key_of(environment(verifier_code=SEEDED)) is None
    assert key_of(environment(support_files={"lib.py": "import os\nos.environ['DEEPGYM_SEED']"})) is None
    assert key_of(environment(verifier_code=SEEDED, seed=5)) is not None
    assert key_of(environment(verifier_code=SEEDED, seed=5)) != key_of(
        environment(verifier_code=SEEDED, seed=6)
    )


def test_without_a_cache_every_run_runs(backend):
    with DeepGym() as client:
        client.run(environment(), "a")
        assert client.run(environment(), "a").cached is False
    assert len(backend.jobs) == 2


@pytest.mark.parametrize("how", ["run", "run_batch", "stream"])
def test_with_a_cache_an_answer_runs_once(backend, tmp_path, how):
    def judge(client):
        if how == "run":
            return client.run(environment(), "a")
        if how == "run_batch":
            return client.run_batch(environment(), ["a"])[0]
        return next(client.stream(environment(), ["a"]))[1]

    for turn in range(2):
        with DeepGym(cache=tmp_path / "verdicts.db") as client:
            result = judge(client)
            assert (result.score, result.cached) == (1.0, turn == 1)
    assert len(backend.jobs) == 1


def test_only_verdicts_from_behind_a_wall_are_kept(backend, tmp_path):
    with DeepGym(cache=tmp_path / "verdicts.db") as client:
        client.run(environment(), json.dumps({"ending": "lost"}))
        client.run(environment(), json.dumps({"doubtful": "always"}))
        backend.context = deepgym.jobs.RunContext("local", "process", "no wall")
        client.run(environment(), "a")
        assert len(client.cache) == 0


@pytest.mark.parametrize("content", [b"not a database at all", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_moved_aside_and_said(tmp_path, content):
    path = tmp_path / "verdicts.db"
    path.write_bytes(content)
    cache = VerdictCache(path)
    with pytest.warns(RuntimeWarning, match="not a cache of verdicts"):
        cache.put(b"key", verdict())
    cache.put(b"key", verdict())
    assert cache.get(b"key") is not None
    cache.close()
    (aside,) = [
        name for name in os.listdir(tmp_path) if "corrupt" in name and not name.endswith(("-wal", "-shm"))
    ]
    assert (tmp_path / aside).read_bytes() == content


def test_a_database_that_breaks_later_costs_judgements_only(tmp_path):
    cache = VerdictCache(tmp_path / "verdicts.db")
    for number in range(200):
        cache.put(b"%d" % number, verdict(details="x" * 500))
    cache.close()
    with open(cache.path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xde\xad" * 20_000)
    with pytest.warns(RuntimeWarning):
        assert cache.get(b"100") is None
    cache.put(b"100", verdict())
    assert cache.get(b"100") is not None
    cache.close()


def test_an_entry_that_cannot_be_read_is_dropped(cache):
    cache.put(b"key", verdict())
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE verdicts SET result = '{\"score\": 7}'")
    connection.close()
    assert cache.get(b"key") is None
    assert len(cache) == 0


def test_a_file_that_cannot_be_written_is_said_once(tmp_path):
    blocked = tmp_path / "a-file"
    blocked.write_text("")
    cache = VerdictCache(blocked / "verdicts.db")
    with pytest.warns(RuntimeWarning, match="cannot be used") as caught:
        cache.put(b"key", verdict())
    assert cache.get(b"key") is None  # and no second warning, which would be an error here
    assert len(caught) == 1


def test_a_busy_file_is_passed_over_without_a_word(cache):
    cache.put(b"key", verdict())
    other = sqlite3.connect(cache.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    cache.put(b"more", verdict())
    other.execute("ROLLBACK")
    other.close()
    assert cache.get(b"key") is not None
    assert cache.get(b"more") is None


def test_the_oldest_go_when_it_is_full(tmp_path):
    cache = VerdictCache(tmp_path / "verdicts.db", max_mb=1)
    for number in range(300):
        cache.put(b"%d" % number, verdict(stdout="x" * 10_000))
    assert len(cache) < 200
    assert cache.get(b"0") is None
    assert cache.get(b"299") is not None
    cache.close()


@pytest.mark.parametrize("wrong", [{"path": "."}, {"path": "x", "max_mb": 0}])
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(UsageError):
        VerdictCache(**wrong)


def _write_many(path, process):
    cache = VerdictCache(path)
    for number in range(100):
        cache.put(f"{process}-{number}".encode(), verdict())
        cache.get(f"{(process + 1) % 4}-{number}".encode())
    cache.close()


def test_many_processes_share_a_file(tmp_path):
    path = str(tmp_path / "verdicts.db")
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_write_many, args=(path, number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 4
    cache = VerdictCache(path)
    assert len(cache) >= 300  # what came while another one wrote for too long may be missing, nothing else
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    cache.close()


def test_a_forked_process_opens_the_file_anew(cache):
    cache.put(b"key", verdict())
    pid = os.fork()
    if pid == 0:
        cache.put(b"child", verdict())
        os._exit(0 if cache.get(b"key") is not None else 1)
    _, status = os.waitpid(pid, 0)
    assert status == 0
    assert cache.get(b"child") is not None
    assert cache.get(b"key") is not None
