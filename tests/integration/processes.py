"""Who runs, and who is left: for tests that start real processes and want none to remain."""

import os
import time

from deepgym_solution._procfs import descendants

WAIT_S = 15.0


def started_at(pid):
    """When a process began, in ticks; None when it is gone or dead and only not yet reaped."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as handle:
            fields = handle.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def family(pid=None):
    """All that descend from a process (this one, unless given) and live: pid to when they began."""
    own = os.getpid() if pid is None else pid
    found = {each: started_at(each) for each in descendants(own) if each != own}
    return {each: begun for each, begun in found.items() if begun is not None}


def alive(members):
    """Those of a family that live on."""
    return {pid for pid, begun in members.items() if started_at(pid) == begun}


def wait_until(condition, what, limit_s=WAIT_S):
    """Wait for something to be so; what it last was, else."""
    deadline = time.monotonic() + limit_s
    while not (found := condition()):
        assert time.monotonic() < deadline, f"not within {limit_s:g} s: {what}"
        time.sleep(0.01)
    return found


def wait_until_gone(members, limit_s=WAIT_S):
    """Wait until nobody of a family lives."""
    wait_until(lambda: not alive(members), "all processes gone", limit_s)
