"""What /proc tells of a process and all that it started: who they are, their memory, their times."""

from __future__ import annotations

import os
import signal

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


def children_of(pid: int) -> list[int]:
    """The direct children of a process, whichever of its threads started them."""
    found: list[int] = []
    for thread in _threads_of(pid):
        found += _children_of_thread(pid, thread)
    return found


def _threads_of(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def _children_of_thread(pid: int, thread: str) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as handle:
            return [int(child) for child in handle.read().split()]
    except OSError:
        return []


def descendants(pid: int) -> list[int]:
    """The process and all that descend from it, as far as /proc tells."""
    found, queue = [], [pid]
    while queue:
        at = queue.pop()
        found.append(at)
        queue.extend(children_of(at))
    return found


def end_family(pid: int) -> None:
    """Kill all that descends from a process, the youngest first."""
    for each in reversed(descendants(pid)[1:]):
        try:
            os.kill(each, signal.SIGKILL)
        except OSError:
            continue


def uses_more_than(pid: int, limit_bytes: int) -> bool:
    """Whether a process and its descendants use more memory together.

    Their own memory counts, and what they share by mappings, once; mapped files do not. The cheap figure is looked
    at first: it is an upper bound, and nearly always below the limit.
    """
    private, resident, processes = 0, 0, descendants(pid)
    for each in processes:
        try:
            with open(f"/proc/{each}/statm", encoding="ascii") as handle:
                numbers = handle.read().split()
        except OSError:
            continue
        resident += int(numbers[1]) * _PAGE_BYTES
        private += max(0, int(numbers[1]) - int(numbers[2])) * _PAGE_BYTES
    if resident <= limit_bytes or private > limit_bytes:
        return private > limit_bytes
    return private + sum(map(_shared_bytes, processes)) > limit_bytes


def _shared_bytes(pid: int) -> int:
    """A process's part of the memory that it shares with others by mappings."""
    # A process that forbids looking at its mappings is counted as if it shared with nobody.
    for path, name in ((f"/proc/{pid}/smaps_rollup", "Pss_Shmem:"), (f"/proc/{pid}/status", "RssShmem:")):
        try:
            with open(path, encoding="utf-8", errors="replace") as handle:
                for line in handle:
                    if line.startswith(name):
                        return int(line.split()[1]) * 1024
        except OSError:
            continue
    return 0


def process_times(pid: int) -> tuple[float, float]:
    """Seconds that all threads of a process and its descendants ran, and that they waited for a core.

    What has ended by now counts for the first only.
    """
    cpu_s = waited_s = 0.0
    queue = [pid]
    while queue:
        at = queue.pop()
        running_s = 0.0
        for thread in _threads_of(at):
            ran, waited = _thread_times(at, thread)
            running_s += ran
            waited_s += waited
            queue += _children_of_thread(at, thread)
        # The one is exact and knows living threads only, the other knows the dead ones too and counts in ticks.
        cpu_s += max(running_s, _cpu_of_all(at))
    return cpu_s, waited_s


def _thread_times(pid: int, thread: str) -> tuple[float, float]:
    try:
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as handle:
            ran, waited, _ = handle.read().split()
    except (OSError, ValueError):
        return 0.0, 0.0
    return int(ran) / 1e9, int(waited) / 1e9


def _cpu_of_all(pid: int) -> float:
    """A process's own time and that of its children that have ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as handle:
            numbers = handle.read().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return 0.0
    return sum(int(number) for number in numbers[11:15]) / _TICKS
