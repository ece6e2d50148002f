"""mode="auto" with backends that only say who they are."""

import pytest

from deepgym import DeepGym, Environment
from deepgym._judge.job import Outcome, Report
from deepgym.backends import auto
from deepgym.backends.auto import AutoBackend
from deepgym.errors import BackendUnavailableError, UsageError
from deepgym.jobs import JobMaker, RunContext

GRADES = {"modal": "vm", "docker": "container", "local": "sealed"}


class Stub:
    def __init__(self, mode):
        self.context = RunContext(mode, GRADES[mode], f"{mode}'s wall")
        self.closed = False

    def execute(self, job):
        return Outcome("ended", begun=True, report=Report("returned", verdicts=('{"score": 1.0}',))), 1

    def close(self):
        self.closed = True


@pytest.fixture
def choose(monkeypatch):
    opened = {}

    def make(*configured):
        real = auto._Candidate
        monkeypatch.setattr(
            auto, "_candidate", lambda mode: real(mode, GRADES[mode]) if mode in configured else None
        )

        def open_mode(mode):
            opened[mode] = Stub(mode)
            return opened[mode]

        backend = AutoBackend(open_mode)
        backend.opened = opened
        return backend

    return make


def job(**fields):
    return (
        JobMaker().prepare(Environment(task="t", verifier_code="return True", **fields)).job("", case_seed=0)
    )


def where(backend, **fields):
    context = backend.context_for(job(**fields))
    return context.backend, context.isolation_detail


def test_the_strongest_that_is_configured_is_taken_and_said(choose):
    backend = choose("modal", "docker")
    mode, detail = where(backend)
    assert mode == "modal"
    assert "the strongest that is configured" in detail
    assert "modal's wall" in detail
    assert where(choose("docker"))[0] == "docker"


def test_without_anything_else_it_is_this_machine(choose):
    mode, detail = where(choose())
    assert mode == "local"
    assert "nothing else is configured" in detail


def test_what_the_environment_asks_for_goes_first(choose):
    backend = choose("modal", "docker")
    assert where(backend, min_isolation="container")[0] == "docker"
    assert where(backend, min_isolation="sealed")[0] == "local"
    mode, detail = where(backend, min_isolation="vm")
    assert mode == "modal"
    assert "'vm' that the environment asks for" in detail


def test_an_image_needs_a_backend_that_has_images(choose):
    mode, detail = where(choose("docker"), image="python:3.12-slim")
    assert mode == "docker"
    assert "image python:3.12-slim" in detail
    assert where(choose(), image="python:3.12-slim")[0] == "local"


def test_what_was_opened_is_closed(choose):
    backend = choose("docker")
    assert backend.execute(job())[1] == 1
    backend.close()
    assert all(stub.closed for stub in backend.opened.values())


def test_the_result_says_what_was_chosen(monkeypatch):
    monkeypatch.setattr(auto, "_candidate", lambda _: None)
    with DeepGym("auto") as client:
        result = client.run(Environment(task="t", verifier_code="return True"), "")
    assert result.score == 1.0
    assert result.backend == "local"
    assert result.isolation_detail.startswith("auto chose local, for nothing else is configured")


def test_auto_takes_no_options():
    with pytest.raises(UsageError, match="name the mode"):
        DeepGym("auto", backend_options={"image": "x"})


def test_a_mode_that_cannot_be_made_is_no_candidate(monkeypatch):
    def unavailable(_):
        raise BackendUnavailableError("no key")

    monkeypatch.setattr(auto, "load_backend_class", unavailable)
    assert auto._candidate("modal") is None
