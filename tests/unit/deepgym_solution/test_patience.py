"""How long a wait lasts: what is given back, when the time is up, and what is told of it."""

import pytest

from deepgym_solution import _limits, _patience
from deepgym_solution._patience import Account, Patience, Times, given_back_s, leaves_doubt


def test_a_single_thread_gets_back_all_that_it_waited():
    assert given_back_s(4.0, 1.0, 3.0, cores=2) == pytest.approx(3.0)


def test_sleeping_gives_nothing_back():
    assert given_back_s(4.0, 0.1, 0.0, cores=2) == 0.0


@pytest.mark.parametrize(("threads", "cores"), [(4, 2), (100, 2), (3, 1), (64, 8)])
def test_threads_that_crowd_each_other_gain_no_time(threads, cores):
    wall = 10.0
    cpu = wall * cores
    assert given_back_s(wall, cpu, threads * wall - cpu, cores=cores) == pytest.approx(0.0, abs=1e-9)


def test_parallel_threads_beside_strangers_get_back_what_the_strangers_took():
    # Two lanes on two cores with six strangers: each lane runs a quarter of the time, alone it would run all of it.
    assert given_back_s(8.0, 4.0, 12.0, cores=2) == pytest.approx(6.0)


def test_processes_that_take_turns_get_back_the_waiting_of_all():
    # One after the other: together they fill the clock's time once.
    assert given_back_s(6.0, 2.0, 4.0, cores=2) == pytest.approx(4.0)


def test_never_more_than_the_time_that_passed_is_given_back():
    assert given_back_s(1.0, 0.0, 50.0, cores=4) <= 1.0


def test_a_limit_leaves_no_doubt_when_the_solution_ran_for_it_or_nothing_waited():
    assert not leaves_doubt(1.0, 0.99, 5.0)
    assert not leaves_doubt(1.0, 0.0, 0.0)
    assert leaves_doubt(1.0, 0.2, 0.5)


class Machine:
    """A solution on a machine whose clock moves when it is told to."""

    def __init__(self, monkeypatch, *, share):
        self.now, self.cpu, self.share = 100.0, 0.0, share
        self.begun = self.now
        self.told = []
        self.silent = False
        self.uncounted = 0.0
        monkeypatch.setattr(_patience.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(_patience.os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
        self.account = Account(self.read, lambda back, ran: self.told.append((back, ran)))

    def read(self):
        if self.silent:
            self.now += 1.0
            return None
        wall = self.now - self.begun
        return Times(wall * self.share, max(0.0, wall * (1 - self.share) - self.uncounted), self.now)

    def run_into_the_limit(self, limit_s, *, late_s=0.0):
        patience = Patience(self.account, limit_s)
        for _ in range(10_000):
            self.now = patience.deadline + late_s
            if not patience.extend():
                return patience
        raise AssertionError("the wait never ends")


def test_on_a_free_machine_the_limit_is_the_clocks(monkeypatch):
    machine = Machine(monkeypatch, share=1.0)
    patience = machine.run_into_the_limit(2.0)
    assert machine.now - machine.begun == pytest.approx(2.0, rel=0.02)
    assert not patience.doubtful


@pytest.mark.parametrize("share", [0.5, 0.25, 0.125])
@pytest.mark.parametrize("late_s", [0.0, 0.03])
def test_on_a_busy_machine_the_limit_is_the_solutions_own_time(monkeypatch, share, late_s):
    machine = Machine(monkeypatch, share=share)
    patience = machine.run_into_the_limit(2.0, late_s=late_s)
    assert (machine.now - machine.begun) * share == pytest.approx(2.0, rel=0.03)
    assert not patience.doubtful


def test_a_judge_that_wakes_up_when_all_is_over_still_sees_what_was_lost(monkeypatch):
    machine = Machine(monkeypatch, share=0.25)
    patience = Patience(machine.account, 0.4)
    machine.now += 1.0  # 0.25 s of its own
    assert patience.extend()


def test_at_the_ceiling_the_wait_ends_in_doubt(monkeypatch):
    machine = Machine(monkeypatch, share=0.01)
    patience = machine.run_into_the_limit(1.0)
    assert machine.now - machine.begun == pytest.approx(_limits.WALL_CEILING_FACTOR, rel=0.02)
    assert patience.doubtful


def test_a_host_that_does_not_get_to_answer_takes_no_time_from_the_solution(monkeypatch):
    machine = Machine(monkeypatch, share=1.0)
    patience = Patience(machine.account, 0.5)
    machine.silent = True
    machine.now = patience.deadline
    assert patience.extend()
    machine.silent = False
    assert patience.deadline < machine.now + 0.5


def test_what_was_lost_is_told_once(monkeypatch):
    machine = Machine(monkeypatch, share=0.25)
    machine.run_into_the_limit(2.0)
    passed = machine.now - machine.begun
    assert sum(back for back, _ in machine.told) == pytest.approx(passed * 0.75, rel=0.01)
    assert sum(ran for _, ran in machine.told) == pytest.approx(passed * 0.25, rel=0.01)


def test_many_short_waits_are_told_of_too(monkeypatch):
    machine = Machine(monkeypatch, share=0.25)
    for _ in range(1000):
        patience = Patience(machine.account, 10.0)
        machine.now += 0.004
        patience.end()
    assert sum(back for back, _ in machine.told) == pytest.approx(3.0, rel=0.1)


def test_a_wait_that_linux_has_not_counted_yet_is_looked_at_again(monkeypatch):
    machine = Machine(monkeypatch, share=0.2)
    patience = Patience(machine.account, 0.4)
    while machine.now - machine.begun < 1.7:  # 0.34 s of its own
        machine.now = patience.deadline
        assert patience.extend()
    machine.uncounted = 0.1  # it looks like 0.44 s now
    machine.now = max(patience.deadline, machine.now + 0.05)
    assert patience.extend()
    machine.uncounted = 0.0
    machine.now = patience.deadline
    assert patience.extend()
    assert patience.deadline > machine.now


def test_at_the_ceiling_nothing_is_looked_at_again(monkeypatch):
    machine = Machine(monkeypatch, share=0.01)
    machine.uncounted = 1e9
    patience = machine.run_into_the_limit(1.0)
    assert machine.now - machine.begun < 1.5
    assert not patience.doubtful
