import asyncio
import threading
import time

import pytest

from deepgym.backends._deadline import Deadline, bounded, in_thread, retrying, settle_abandoned
from deepgym.errors import SandboxInfraError


def test_a_deadline_only_gets_nearer():
    deadline = Deadline.after(5)
    assert deadline.within(1).remaining_s() <= 1
    assert deadline.within(60).at == deadline.at
    assert not deadline.expired()
    assert Deadline.after(-1).expired()


def test_a_clock_that_jumps_changes_nothing(monkeypatch):
    deadline = Deadline.after(5)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert 4 < deadline.remaining_s() <= 5


def test_a_result_in_time_is_returned():
    async def call():
        return 3

    assert asyncio.run(bounded(call(), Deadline.after(5), "the call")) == 3


def test_an_error_in_time_comes_through_as_it_is():
    async def call():
        raise KeyError("k")

    with pytest.raises(KeyError):
        asyncio.run(bounded(call(), Deadline.after(5), "the call"))


def test_a_call_that_swallows_cancellation_is_left_behind():
    async def stubborn():
        while True:
            try:
                await asyncio.sleep(0.2)
            except asyncio.CancelledError:
                await asyncio.sleep(0.4)
                return

    async def main():
        started = time.monotonic()
        with pytest.raises(SandboxInfraError, match=r"stubborn call did not answer within 0\.\d s") as caught:
            await bounded(stubborn(), Deadline.after(0.1), "stubborn call")
        assert time.monotonic() - started < 0.3
        assert caught.value.kind == "timeout"

    asyncio.run(main())


def test_a_client_that_cancels_itself_does_not_cancel_us():
    async def call():
        raise asyncio.CancelledError

    with pytest.raises(SandboxInfraError, match="cancelled by the provider's client"):
        asyncio.run(bounded(call(), Deadline.after(5), "the call"))


def test_what_comes_late_is_cleaned_up():
    destroyed = []

    async def create():
        await asyncio.sleep(0.2)
        return "box"

    async def destroy(box):
        destroyed.append(box)

    async def main():
        with pytest.raises(SandboxInfraError):
            await bounded(create(), Deadline.after(0.05), "create", late=destroy)
        await settle_abandoned(5)

    asyncio.run(main())
    assert destroyed == ["box"]


def test_what_comes_after_a_cancellation_is_cleaned_up_too():
    destroyed = []

    async def create():
        await asyncio.sleep(0.2)
        return "box"

    async def destroy(box):
        destroyed.append(box)

    async def main():
        task = asyncio.ensure_future(bounded(create(), Deadline.after(9), "create", late=destroy))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await settle_abandoned(5)

    asyncio.run(main())
    assert destroyed == ["box"]


def test_a_blocking_call_runs_in_a_thread_that_holds_up_no_exit():
    release = threading.Event()

    async def main():
        assert await in_thread(lambda: threading.current_thread().daemon) is True
        with pytest.raises(ZeroDivisionError):
            await in_thread(lambda: 1 / 0)
        with pytest.raises(SandboxInfraError):
            await bounded(in_thread(release.wait, 5), Deadline.after(0.05), "a hung call")

    started = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - started < 3
    release.set()


def flaky(failures, error):
    calls = []

    async def attempt():
        calls.append(1)
        if len(calls) <= failures:
            raise error
        return "ok"

    return attempt, calls


BUSY = SandboxInfraError("quota", "busy", retryable=True)
REFUSED = SandboxInfraError("auth", "no", retryable=False)


def test_what_may_be_tried_again_is_tried_again():
    attempt, calls = flaky(2, BUSY)
    assert asyncio.run(retrying(attempt, Deadline.after(5), attempts=3, first_pause_s=0.01)) == "ok"
    assert len(calls) == 3


@pytest.mark.parametrize(("error", "tries"), [(BUSY, 3), (REFUSED, 1)])
def test_the_last_error_comes_through(error, tries):
    attempt, calls = flaky(9, error)
    with pytest.raises(SandboxInfraError) as caught:
        asyncio.run(retrying(attempt, Deadline.after(5), attempts=3, first_pause_s=0.01))
    assert caught.value is error
    assert len(calls) == tries


def test_no_pause_goes_past_the_deadline():
    attempt, calls = flaky(9, BUSY)
    started = time.monotonic()
    with pytest.raises(SandboxInfraError):
        asyncio.run(retrying(attempt, Deadline.after(0.1), attempts=9, first_pause_s=5))
    assert len(calls) == 1
    assert time.monotonic() - started < 1
