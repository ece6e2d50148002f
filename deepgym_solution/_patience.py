"""How long to wait for a solution: its own time counts, and the time in which it had to wait for a core does not.

Theory of operation. A limit of L seconds is meant for a machine that is free. Where more wants to run than there are
cores, the same work takes longer, so a plain clock would give other verdicts under load. Linux tells for each thread
how long it has run and how long it was ready and had to wait (`/proc/<pid>/task/<tid>/schedstat`); a solution's host
reads that for all of a solution's threads when the judge asks. A wait asks a first time soon after it has begun, then
every `LOOK_PERIOD_S`, and its limit is reached when

    the clock's time - the time given back  >=  L          or at the ceiling, whatever was given back

What is given back comes from totals alone: running and waiting together, divided by the clock's time, say how many
lanes ran beside each other, and a lane's waiting is the whole divided by that. From it goes what the solution did to
itself: its own lanes would have shared the cores on a free machine too, so a hundred busy threads gain no time.

A limit that was reached on a contended machine leaves a doubt, unless the solution has run for about as long as it
may: the measurement is good to a few percent, and what processes that have since ended had to wait is not known.
Whoever runs the judge is told, and may judge again when the machine is free.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import NamedTuple

from deepgym_solution import _limits

# How often the clocks are read during a wait. Rarer, and the deadline of a whole run would come before the news that
# its cases had to wait; more often, and a long wait would cost something.
LOOK_PERIOD_S = 0.2

# The first look comes after this share of the limit: what happened before it is taken to have been like what came
# after.
FIRST_LOOK = 0.05

# Waiting for a core for less than this share of a limit is what happens on any machine.
CONTENDED_SHARE = 0.05

# A solution that has run for this share of its limit has had its time.
RAN_SHARE = 0.95

# A limit that seems to be reached on a contended machine is looked at again so often, and so much later: longer than
# most waits for a core are.
_CONFIRMATIONS = 4
_CONFIRM_S = 0.025

# A deadline that is this near has come.
_NEAR_S = 0.001


class Times(NamedTuple):
    """Totals over all threads of a solution: seconds on a core, seconds of waiting for one, and when they were read.

    The moment is the host's: the judge that asked may itself have to wait for a core before it hears the answer. (The
    monotonic clock is one for the whole machine.)
    """

    cpu_s: float
    waited_s: float
    at: float


def given_back_s(wall_s: float, cpu_s: float, waited_s: float, *, cores: int) -> float:
    """How much longer a stretch of work took because of others.

    Args:
        wall_s: What it took by the clock.
        cpu_s: What its threads ran in that time, together.
        waited_s: What they waited for a core in that time, together.
        cores: How many cores there are for it.
    """
    if wall_s <= 0 or waited_s <= 0:
        return 0.0
    lanes = max(1.0, (cpu_s + waited_s) / wall_s)
    of_its_own_making = max(0.0, cpu_s / cores - cpu_s / lanes)
    return min(max(0.0, waited_s / lanes - of_its_own_making), wall_s)


def leaves_doubt(limit_s: float, cpu_s: float, contended_s: float) -> bool:
    """Whether a limit that was reached might not have been on a free machine."""
    return contended_s >= limit_s * CONTENDED_SHARE and cpu_s < limit_s * RAN_SHARE


class Account:
    """The clocks of one sealed process, and what has been told of them."""

    def __init__(self, read: Callable[[], Times | None], tell: Callable[[float, float], None]) -> None:
        """Keep the account of a process that starts now.

        Args:
            read: Gives its clocks; None when they cannot be had.
            tell: Takes seconds given back, and seconds run, since it was last told.
        """
        self._read = read
        self._tell = tell
        self._last = Times(0.0, 0.0, time.monotonic())
        self._unseen_s = 0.0
        self._cores = (
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        )

    @property
    def last(self) -> Times:
        """What the last look saw."""
        return self._last

    @property
    def cores(self) -> int:
        """How many cores the process may use."""
        return self._cores

    def look(self) -> Times | None:
        """Read the clocks, and tell what was given back since the last look."""
        times = self._read()
        if times is None:
            return None
        cpu_s = max(0.0, times.cpu_s - self._last.cpu_s)
        waited_s = max(0.0, times.waited_s - self._last.waited_s)
        back = given_back_s(times.at - self._last.at, cpu_s, waited_s, cores=self._cores)
        self._last, self._unseen_s = times, 0.0
        if back > 0 or cpu_s > 0:
            self._tell(back, cpu_s)
        return times

    def after_wait(self, seconds: float) -> None:
        """Many waits that end before their first look add up too."""
        self._unseen_s += seconds
        if self._unseen_s > LOOK_PERIOD_S:
            self.look()


class Patience:
    """One wait of at most `limit_s` seconds of a solution's own time, begun now.

    Attributes:
        deadline: When to call `extend`.
        doubtful: After `extend` has said that the time is up: a free machine might have said otherwise.
    """

    def __init__(self, account: Account, limit_s: float) -> None:
        self._account = account
        self._limit_s = limit_s
        self._begun = time.monotonic()
        self._ceiling = self._begun + limit_s * _limits.WALL_CEILING_FACTOR
        self._first: Times | None = None
        self._doubts = 0
        self.deadline = self._begun + min(max(limit_s * FIRST_LOOK, 0.01), LOOK_PERIOD_S, limit_s)
        self.doubtful = False

    def extend(self) -> bool:
        """The deadline has passed: set the next one, or say that the time is up."""
        asked_at, before = time.monotonic(), self._account.last
        times = self._account.look()
        if times is None:
            now = time.monotonic()
            return self._without_clocks(now, now - asked_at)
        if self._first is None:
            # A first look that comes when all is over tells nothing by itself: then the last one before this wait does.
            late = times.at - self._begun > self._limit_s / 2
            self._first = Times(before.cpu_s, before.waited_s, self._begun) if late else times
        since = times.at - self._first.at
        cpu_s, waited_s = times.cpu_s - self._first.cpu_s, times.waited_s - self._first.waited_s
        back = given_back_s(since, cpu_s, waited_s, cores=self._account.cores)
        if since > 0:
            scale = (times.at - self._begun) / since
            back, cpu_s = back * scale, cpu_s * scale
        left = self._begun + self._limit_s + back - times.at
        now = time.monotonic()
        at_ceiling = now >= self._ceiling
        if left <= _NEAR_S or at_ceiling:
            self.doubtful = leaves_doubt(self._limit_s, cpu_s, back)
            if not self.doubtful or self._doubts == _CONFIRMATIONS or at_ceiling:
                return False
            # Linux counts a wait for a core when it is over; one that goes on now looks like sleep.
            self._doubts += 1
            left = _CONFIRM_S
        else:
            self._doubts = 0
        self.deadline = min(now + min(max(left, self._limit_s / 100), LOOK_PERIOD_S), self._ceiling)
        return True

    def _without_clocks(self, now: float, asking_s: float) -> bool:
        """The process has ended (its channel tells), or its host does not get to answer: then the machine is busy."""
        self._begun += asking_s
        self.doubtful = True
        if now >= min(self._ceiling, self._begun + self._limit_s):
            return False
        self.deadline = now + min(LOOK_PERIOD_S, self._begun + self._limit_s - now)
        return True

    def end(self) -> None:
        """The wait is over."""
        self._account.after_wait(time.monotonic() - self._begun)
