"""The gate: many at once or one alone, from threads and loops, and nothing stuck when somebody gives up."""

import asyncio
import os
import threading

import pytest

from deepgym import _gate
from deepgym._gate import Gate


def test_many_enter_beside_each_other():
    gate = Gate()
    with gate.entered(), gate.entered(), gate.entered():
        pass


def test_one_that_is_alone_waits_for_the_others_and_holds_new_ones_off():
    gate, order = Gate(), []
    inside, waiting = threading.Event(), threading.Event()

    def alone():
        waiting.set()
        with gate.entered(alone=True):
            order.append("alone")

    def late():
        with gate.entered():
            order.append("late")

    threads = [threading.Thread(target=alone), threading.Thread(target=late)]
    with gate.entered():
        threads[0].start()
        assert waiting.wait(5)
        while not gate._waiting:
            inside.wait(0.001)
        threads[1].start()
        while len(gate._waiting) < 2:
            inside.wait(0.001)
        order.append("first")
    for thread in threads:
        thread.join(5)
    assert order == ["first", "alone", "late"]


def test_loops_and_threads_share_one_gate():
    gate = Gate()
    most = running = 0

    async def enter(*, alone):
        nonlocal most, running
        async with gate.entered_async(alone=alone):
            running += 1
            most = max(most, running)
            assert not alone or running == 1
            await asyncio.sleep(0.001)
            running -= 1

    async def main():
        await asyncio.gather(*(enter(alone=number % 5 == 0) for number in range(50)))

    asyncio.run(main())
    assert most > 1
    assert (gate._running, gate._is_alone, len(gate._waiting)) == (0, False, 0)


@pytest.mark.parametrize("admitted_first", [True, False])
def test_a_cancelled_wait_leaves_the_gate_open(admitted_first):
    gate = Gate()

    async def enter():
        async with gate.entered_async(alone=True):
            raise AssertionError("it was cancelled before it could enter")

    async def main():
        with gate.entered():
            task = asyncio.create_task(enter())
            await asyncio.sleep(0)
            if not admitted_first:
                task.cancel()
                await asyncio.sleep(0)
        task.cancel()  # by now it has been let in, and has not noticed
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    with gate.entered(alone=True):
        assert gate._running == 1
    assert gate._running == 0


def test_a_thread_that_could_wait_for_ever_goes_in(monkeypatch):
    monkeypatch.setattr(_gate, "THREAD_PATIENCE_S", 0.05)
    gate = Gate()
    with gate.entered():
        with gate.entered(alone=True):
            assert gate._running == 2
        with gate.entered():
            pass
    assert (gate._running, gate._is_alone) == (0, False)


def test_a_forked_process_has_a_gate_of_its_own():
    gate = Gate()
    with gate.entered():
        pid = os.fork()
        if pid == 0:
            with gate.entered(alone=True):
                os._exit(7)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 7
