"""When the way to a box breaks there is no verdict, the reason is said, nothing is left, and no answer runs twice."""

import asyncio
import gc
import time

import pytest

from deepgym import DeepGym, Environment
from deepgym.backends import remote
from tests.loopback import places
from tests.support import require

# The verifier leaves a mark each time it runs, in a place that outlives the run but not the box.
MARKING = "open('/var/marks/ran', 'a').write('x')\nimport time\ntime.sleep(0.4)\nreturn True"
ENV = Environment(task="t", verifier_code=MARKING, timeout=10.0)

# Where something hangs it is waited for in full, so not for long; elsewhere a busy machine gets its time.
SHORT_S, LONG_S = 2.5, 20.0

FAULTS = [
    ("create", "status", {"status": 400, "times": 9}),
    ("create", "status", {"status": 503, "times": 9}),
    ("create", "hang", {"times": 9}),
    ("create", "drop_after", {"times": 9}),
    ("create", "late", {"seconds": 4.0, "times": 9}),
    ("put", "status", {"status": 507, "times": 9}),
    ("put", "hang", {"times": 9}),
    ("exec", "status", {"status": 500}),
    ("exec", "status", {"status": 504}),
    ("exec", "hang", {}),
    ("exec", "drop_before", {}),
    ("exec", "drop_after", {}),
    ("exec", "cut", {}),
    ("exec", "no_end", {}),
    ("exec", "expire", {}),
    ("exec", "expire_later", {"seconds": 0.6}),
    ("create", "open_network", {}),
]

# A bad moment after which the run succeeds: nothing had begun.
MENDED = [
    ("create", "status", {"status": 503}),
    ("create", "drop_before", {}),
    ("create", "status", {"status": 429, "headers": {"Retry-After": "1"}}),
]


def fault_id(fault):
    route, action, how = fault
    return "-".join(str(word) for word in (route, action, how.get("status", "")) if word)


@pytest.fixture(params=places.LOOPBACK)
def here(request, monkeypatch):
    require(*places.why_missing(request.param))
    monkeypatch.setenv("E2B_CONNECTION_RETRIES", "0")
    monkeypatch.setattr(remote, "REMOTE_CEILING_FACTOR", 0.0)
    monkeypatch.setattr(remote, "CLOSE_S", 10.0)
    monkeypatch.setattr("deepgym.backends._stock.CREATE_ATTEMPTS", 2)
    monkeypatch.setattr("deepgym_solution._limits.WALL_CEILING_FACTOR", 0.0)
    set_limits(monkeypatch, LONG_S)
    with places.place(request.param, monkeypatch) as place:
        yield place
    gc.collect()


def set_limits(monkeypatch, seconds):
    """How long each step may take."""
    monkeypatch.setattr(remote, "GRACE_S", seconds)
    monkeypatch.setattr("deepgym.backends._stock.CREATE_S", seconds)
    monkeypatch.setattr("deepgym.backends._stock.PUT_S", seconds)


def times_run(here):
    """How often the verifier ran in any box that was ever made; the boxes' folders are kept until the server closes."""
    marks = [box.mark for box in here.server.made]
    return sum(len(mark) for mark in marks)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("fault", FAULTS, ids=fault_id)
def test_a_fault_is_no_verdict_and_nothing_is_left(here, monkeypatch, fault):
    route, action, how = fault
    if action in {"hang", "late"}:
        set_limits(monkeypatch, SHORT_S)
    if here.name == "apple" and action in {"cut", "no_end"}:
        pytest.skip("a command has no stream that could be cut")
    if action == "open_network":
        # The loopback of this machine stands for the internet; its box has a network device besides.
        pytest.skip("covered by test_a_box_with_a_network_is_refused")
    here.server.faults.add(route, action, **how)
    if here.name == "modal" and action in {"cut", "no_end"}:
        here.server.faults.add("output" if action == "cut" else "wait", action)
    started = time.monotonic()
    with DeepGym(here.name) as dg:
        result = dg.run(ENV, "")
    assert time.monotonic() - started < 60
    assert here.server.faults.met
    if result.has_verdict:
        # Some clients mend some faults by themselves, and what had not begun was begun again: the verdict is right.
        assert result.score == 1.0
        assert times_run(here) == 1
        assert (route, action) not in {("exec", "hang"), ("exec", "expire"), ("exec", "expire_later")}
    else:
        assert result.error_type == "sandbox_error"
        assert result.score == 0.0
        assert len(result.details) > 20
    assert times_run(here) <= 1
    assert places.left_boxes(here) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("fault", MENDED, ids=fault_id)
def test_what_has_not_begun_is_tried_again(here, fault):
    route, action, how = fault
    if here.name == "apple":
        pytest.skip("the command does not say whether trying again would help")
    here.server.faults.add(route, action, **how)
    with DeepGym(here.name) as dg:
        result = dg.run(ENV, "")
    assert here.server.faults.met
    assert result.score == 1.0, result.details
    assert times_run(here) == 1
    assert places.left_boxes(here) == []


def test_a_box_with_a_network_is_refused(here, monkeypatch):
    """The provider did not do what it was asked; the runner sees it before anything runs."""
    import socket

    from deepgym.backends import _runner

    with socket.create_server(("127.0.0.1", 0)) as reachable:
        probe = ("127.0.0.1", reachable.getsockname()[1])
        real = _runner.Envelope
        monkeypatch.setattr(remote._runner, "Envelope", lambda *fields: real(*fields, (probe,)))
        here.server.faults.add("create", "open_network", times=9)
        with DeepGym(here.name) as dg:
            result = dg.run(ENV, "")
    assert not result.has_verdict
    assert "the box has a network" in result.details
    assert times_run(here) == 0
    assert places.left_boxes(here) == []


def test_a_clock_that_jumps_changes_no_verdict(here, monkeypatch):
    real = time.time
    with DeepGym(here.name) as dg:
        assert dg.run(ENV, "").score == 1.0
        monkeypatch.setattr(time, "time", lambda: real() + 7200.0)
        assert dg.run(ENV, "").score == 1.0
        monkeypatch.setattr(time, "time", lambda: real() - 7200.0)
        assert dg.run(ENV, "").score == 1.0


def test_a_client_that_is_closed_in_the_middle_leaves_nothing(here):
    async def main():
        dg = DeepGym(here.name)
        runs = [asyncio.ensure_future(dg.arun(ENV, "")) for _ in range(3)]
        await asyncio.sleep(0.5)
        for run in runs:
            run.cancel()
        await asyncio.gather(*runs, return_exceptions=True)
        await asyncio.to_thread(dg.close)

    asyncio.run(main())
    assert places.left_boxes(here) == []
