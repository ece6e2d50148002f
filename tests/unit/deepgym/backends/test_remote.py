"""The way of a job through a `Backend`, with one that only remembers."""

import asyncio
import io
import threading
import time

import pytest

from deepgym._judge.job import Outcome, Report, decode_job
from deepgym.backends import _runner, remote
from deepgym.backends.base import LABEL_OWNER, Backend, Box, BoxSpec, ExecResult, SandboxInfraError, is_swept
from deepgym.backends.remote import RemoteBackend, RemoteOptions
from deepgym.errors import BackendUnavailableError
from deepgym.jobs import JobMaker
from deepgym.models import Environment

VERDICT = Outcome("ended", begun=True, report=Report("returned", verdicts=('{"score": 1.0}',)))


class MemoryBox(Box):
    def __init__(self, backend, spec):
        self.backend, self.spec, self.id = backend, spec, spec.name
        self.files = {}

    async def put(self, files, deadline):
        self.files.update({file.path: file.content for file in files})

    async def exec(self, argv, deadline, *, output_limit_bytes):
        self.backend.running += 1
        self.backend.most = max(self.backend.most, self.backend.running)
        try:
            await asyncio.sleep(self.backend.seconds)
            envelope = _runner.read_envelope(io.BytesIO(self.files[argv[-1]]))
            decode_job(envelope.job)
            return self.backend.answer(envelope)
        finally:
            self.backend.running -= 1

    async def get(self, path, deadline, *, limit_bytes):
        return self.files[path]

    async def alive(self, deadline):
        return self.id in self.backend.boxes

    async def destroy(self, deadline):
        self.backend.boxes.pop(self.id, None)


class MemoryBackend(Backend):
    name = "memory"
    grade = "vm"

    def __init__(self, *, seconds=0.0, refusals=(), answer=None):
        self.boxes, self.made = {}, []
        self.seconds, self.refusals = seconds, list(refusals)
        self.running = self.most = 0
        self.answer = answer or (lambda envelope: reply(envelope.nonce))
        self.closed = False

    async def check(self, deadline):
        return "memory"

    async def create(self, spec, deadline):
        if self.refusals:
            raise self.refusals.pop(0)
        self.made.append(spec)
        self.boxes[spec.name] = box = MemoryBox(self, spec)
        return box

    async def sweep(self, deadline, *, where=None):
        found = [
            name for name, box in self.boxes.items() if is_swept(box.spec.labels, where, now=time.time())
        ]
        for name in found:
            del self.boxes[name]
        return len(found)

    async def close(self):
        self.closed = True


def reply(nonce, outcome=VERDICT):
    return ExecResult(0, b"deepgym-ready\n" + _runner.encode_frame(nonce, _runner.encode_outcome(outcome)))


def job(**fields):
    return (
        JobMaker().prepare(Environment(task="t", verifier_code="return True", **fields)).job("", case_seed=0)
    )


def run(backend, options=None, count=1):
    running = RemoteBackend(backend, options)

    async def main():
        return await asyncio.gather(*[running.execute_async(job()) for _ in range(count)])

    try:
        return asyncio.run(main())
    finally:
        running.close()
        assert backend.boxes == {}
        assert backend.closed


def test_an_authentic_frame_is_the_outcome_and_names_its_box():
    backend = MemoryBackend()
    ((outcome, attempts),) = run(backend)
    assert (outcome.ending, outcome.report, attempts) == ("ended", VERDICT.report, 1)
    assert outcome.sandbox_id == backend.made[0].name


FORGED = {
    "nothing": lambda e: ExecResult(0, b""),
    "an exit code": lambda e: ExecResult(1, b"", b"Traceback"),
    "another nonce": lambda e: reply(b"x" * 32),
    "a cut frame": lambda e: ExecResult(0, reply(e.nonce).stdout[:-9]),
    "no outcome": lambda e: ExecResult(0, _runner.encode_frame(e.nonce, b"junk")),
    "no exit code": lambda e: ExecResult(None, b"half a line"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_anything_else_is_no_outcome_and_is_not_tried_again(forged):
    backend = MemoryBackend(answer=FORGED[forged])
    ((outcome, attempts),) = run(backend)
    assert outcome.ending == "lost"
    assert outcome.begun is False
    assert outcome.detail
    assert attempts == 1
    assert len(backend.made) == 1


def test_a_box_that_cannot_be_made_is_asked_for_again_only_where_that_may_help():
    busy = SandboxInfraError("quota", "busy", retryable=True)
    ((outcome, attempts),) = run(MemoryBackend(refusals=[busy, busy]))
    assert (outcome.ending, attempts) == ("ended", 3)
    refused = SandboxInfraError("auth", "no", retryable=False)
    ((outcome, _),) = run(MemoryBackend(refusals=[refused]))
    assert (outcome.ending, outcome.detail) == ("lost", "auth: no")


def test_a_defect_of_a_backend_is_no_verdict_of_anybody(monkeypatch):
    """An exception that is not ours must not pass for an answer's."""
    backend = MemoryBackend(answer=lambda e: 1 / 0)
    ((outcome, _),) = run(backend)
    assert outcome.ending == "lost"
    assert "ZeroDivisionError" in outcome.detail


def test_two_hundred_runs_are_under_way_on_one_loop_without_a_thread_each():
    backend = MemoryBackend(seconds=1.0)
    before = threading.active_count()
    seen = []
    backend.answer = lambda envelope: (seen.append(threading.active_count()), reply(envelope.nonce))[1]
    outcomes = run(backend, RemoteOptions(max_parallel=200), count=200)
    assert [outcome.ending for outcome, _ in outcomes] == ["ended"] * 200
    assert backend.most == 200
    assert max(seen) <= before + 2


def test_the_stated_limit_holds():
    backend = MemoryBackend(seconds=0.02)
    run(backend, RemoteOptions(max_parallel=7), count=50)
    assert backend.most == 7


def test_boxes_that_are_kept_ready_are_used_once_each_and_end_with_the_client():
    backend = MemoryBackend()
    running = RemoteBackend(backend, RemoteOptions(warm=2))
    ids = []
    for _ in range(3):
        outcome, _ = running.execute(job())
        ids.append(outcome.sandbox_id)
        time.sleep(0.05)
    assert len(set(ids)) == 3
    assert len(backend.boxes) >= 1
    running.close()
    assert backend.boxes == {}


def test_another_image_or_limit_is_another_kind_of_box():
    backend = MemoryBackend()
    running = RemoteBackend(backend)
    running.execute(job(image="a"))
    running.execute(job(image="b", memory_mb=100))
    running.close()
    first, second = backend.made
    assert (first.image, second.image) == ("a", "b")
    assert first.memory_mb - second.memory_mb == 2048 - 100
    assert {spec.labels[LABEL_OWNER] for spec in backend.made} == {first.owner}


def test_a_run_that_outlives_its_time_is_given_up(monkeypatch):
    monkeypatch.setattr(remote, "GRACE_S", 0.2)
    monkeypatch.setattr(remote, "REMOTE_CEILING_FACTOR", 0.0)

    class Hung(MemoryBox):
        async def exec(self, argv, deadline, *, output_limit_bytes):
            await asyncio.sleep(deadline.remaining_s())
            raise SandboxInfraError("timeout", "no answer", retryable=True)

    backend = MemoryBackend()

    async def create(spec, deadline):
        backend.boxes[spec.name] = box = Hung(backend, spec)
        return box

    backend.create = create
    started = time.monotonic()
    ((outcome, _),) = run(backend)
    assert outcome.detail.startswith("timeout")
    assert time.monotonic() - started < 3


def test_a_closed_client_says_so():
    running = RemoteBackend(MemoryBackend())
    running.close()
    running.close()
    with pytest.raises(BackendUnavailableError, match="closed"):
        running.execute(job())


def test_boxes_of_a_spec_are_named_apart():
    assert BoxSpec(owner="x").name != BoxSpec(owner="x").name
