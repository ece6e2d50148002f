"""What /proc tells of a process and all that it started: who they are, their memory, their times."""

from __future__ import annotations

import os

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


def children_of(pid: int) -> list[int]:
    """The direct children of a process's main thread."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as handle:
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


def resident_bytes(pid: int) -> int:
    """Private memory of a process and its descendants (pages shared with the template do not count)."""
    total = 0
    for each in descendants(pid):
        try:
            with open(f"/proc/{each}/statm", encoding="ascii") as handle:
                numbers = handle.read().split()
        except OSError:
            continue
        total += max(0, int(numbers[1]) - int(numbers[2])) * _PAGE_BYTES
    return total


def process_times(pid: int) -> tuple[float, float]:
    """CPU seconds of a process and its descendants, and seconds that its main thread waited for a core."""
    cpu = 0.0
    for each in descendants(pid):
        try:
            with open(f"/proc/{each}/stat", encoding="utf-8", errors="replace") as handle:
                numbers = handle.read().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        cpu += sum(int(number) for number in numbers[11:15]) / _TICKS
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as handle:
            waited = int(handle.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        waited = 0.0
    return cpu, waited
