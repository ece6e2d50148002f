"""Leaf control groups: one for each process tree whose memory, processes and CPU are limited together.

Theory of operation. A pool belongs to one process and owns one group in each hierarchy, named after that
process (`deepgym-<pid namespace>-<pid>-<start time>-<number>`), so that whoever finds the group later can
tell whether its owner still lives. Leaves are made inside it. A leaf that was given back is killed empty
and used again, since making and removing one in three hierarchies costs more than the attachment itself.
Closing the pool removes everything; what a killed owner left is removed by the next pool that starts.

Nothing here raises into a run: control groups are a second wall behind rlimits, so a failure is a reason
that can be shown, and the run goes on without them.

Attaching a process makes the kernel wait for a grace period when nothing was attached for some tens of
milliseconds (5 to 12 ms then, below 0.1 ms for all controllers otherwise): attach processes that wait to be
used, not ones that are being waited for.
"""

import contextlib
import itertools
import os
import threading
from dataclasses import dataclass

from deepgym_solution._isolation import _cgroup_files as files
from deepgym_solution._isolation.cgroup_support import CgroupSupport, detect

_CPU_PERIOD_US = 100_000
_GROUP_PREFIX = "deepgym-"
# A process may have several pools.
_POOL_NUMBERS = itertools.count()


@dataclass(frozen=True, slots=True)
class CgroupLimits:
    """What all processes of a leaf may use together; None is no limit.

    Attributes:
        memory_bytes: Memory, page cache and tmpfs contents included. There is no swap beside it.
        processes: Processes and threads.
        cpus: Processors' worth of time, as 1.5.
    """

    memory_bytes: int | None = None
    processes: int | None = None
    cpus: float | None = None


@dataclass(frozen=True, slots=True)
class CgroupUsage:
    """What happened in a leaf since it was given out; None where the kernel does not say.

    Attributes:
        oom_kills: Processes the kernel killed because the leaf's memory was used up.
        memory_peak_bytes: The most memory it had at once.
        forks_refused: How often a process or thread could not start because the limit was reached.
    """

    oom_kills: int | None = None
    memory_peak_bytes: int | None = None
    forks_refused: int | None = None


class Leaf:
    """One group in each hierarchy; made by `CgroupPool.acquire`."""

    def __init__(self, support: CgroupSupport, folders: dict[str, str]) -> None:
        self._version = support.version
        self._folders = folders
        # In version 2 (and where controllers are mounted together) several controllers share a folder.
        self._places = tuple(dict.fromkeys(folders.values()))
        self._before = CgroupUsage()
        self._used = False
        self.reason: str | None = None

    def attach(self, pid: int) -> bool:
        """Move a process into the leaf; its later children are born there.

        Args:
            pid: Of a process that has no children yet.

        Returns:
            False when a hierarchy refused; `reason` says why, and what was attached stays so.
        """
        attached = True
        for place in self._places:
            attached = self._write(place, "cgroup.procs", str(pid)) and attached
        return attached

    def set_limits(self, limits: CgroupLimits) -> bool:
        """Put limits on the leaf, in place of earlier ones.

        Returns:
            False when the kernel refused one that its controller should take; `reason` says why.
        """
        writes = _limit_writes_v2(limits) if self._version == 2 else _limit_writes_v1(limits)
        accepted = True
        for controller, name, value, optional in writes:
            folder = self._folders.get(controller)
            if folder is None or (optional and not os.path.exists(os.path.join(folder, name))):
                continue
            accepted = self._write(folder, name, value) and accepted
        return accepted

    def usage(self) -> CgroupUsage:
        """What happened since the leaf was given out."""
        now, before = self._counters(), self._before
        return CgroupUsage(
            oom_kills=_difference(now.oom_kills, before.oom_kills),
            memory_peak_bytes=now.memory_peak_bytes,
            forks_refused=_difference(now.forks_refused, before.forks_refused),
        )

    def pids(self) -> set[int]:
        """The processes in the leaf that this process can see."""
        # The kernel shows processes of other pid namespaces as 0, and kill(0) would hit the caller itself.
        return {pid for place in self._places for pid in files.read_pids(place)} - {0}

    def kill(self, deadline_s: float = files.REMOVAL_DEADLINE_S) -> bool:
        """End every process in the leaf.

        Returns:
            Whether the leaf is empty: a process that would not die within the deadline leaves it false.
        """
        # No short circuit: what one hierarchy cannot empty another may.
        emptied = [files.kill_all(place, deadline_s) for place in self._places]
        return all(emptied)

    def _start(self, limits: CgroupLimits) -> bool:
        if self._used and self._version == 1 and "memory" in self._folders:
            self._write(self._folders["memory"], "memory.max_usage_in_bytes", "0")
        self._before = self._counters()
        return self.set_limits(limits)

    def _finish(self) -> bool:
        self._used = True
        return self.kill()

    def _remove(self) -> bool:
        removed = [files.remove_group(place) for place in self._places]
        return all(removed)

    def _counters(self) -> CgroupUsage:
        memory, pids = self._folders.get("memory"), self._folders.get("pids")
        refused = files.read_keyed(pids, "pids.events", "max")
        if self._version == 1:
            return CgroupUsage(
                oom_kills=files.read_keyed(memory, "memory.oom_control", "oom_kill"),
                memory_peak_bytes=files.read_number(memory, "memory.max_usage_in_bytes"),
                forks_refused=refused,
            )
        # Version 2 cannot reset its peak, so a leaf that was used before does not know its own.
        peak = None if self._used else files.read_number(memory, "memory.peak")
        return CgroupUsage(files.read_keyed(memory, "memory.events", "oom_kill"), peak, refused)

    def _write(self, folder: str, name: str, value: str) -> bool:
        try:
            files.write_control(os.path.join(folder, name), value)
        except OSError as error:
            self.reason = f"{folder}/{name}: {error.strerror} (writing {value})"
            return False
        return True


class CgroupPool:
    """The leaves of one process. Its methods never raise; forked copies of it do nothing.

    Args:
        support: What `detect` found; looked up when left out.
    """

    def __init__(self, support: CgroupSupport | None = None) -> None:
        self._support = detect() if support is None else support
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._free: list[Leaf] = []
        self._leaves = 0
        self._groups: dict[str, str] = {}
        self.reason = self._support.reason
        if self._support.usable:
            sweep_orphans(self._support)
            self._make_groups()

    @property
    def usable(self) -> bool:
        """Whether leaves can be had; `reason` says why not."""
        return bool(self._groups) and os.getpid() == self._owner

    def acquire(self, limits: CgroupLimits) -> Leaf | None:
        """An empty leaf with these limits, or None and a `reason`."""
        if not self.usable:
            return None
        with self._lock:
            leaf = self._free.pop() if self._free else self._make_leaf()
        if leaf is None:
            return None
        if leaf._start(limits):  # noqa: SLF001 - a leaf's life between uses is the pool's alone
            return leaf
        self.reason = leaf.reason
        self.release(leaf)
        return None

    def release(self, leaf: Leaf) -> None:
        """Kill what is left in the leaf and keep it for the next use."""
        if not self.usable:
            return
        # A leaf that cannot be emptied is not handed out again; close() or the next pool's sweep removes it.
        if leaf._finish():  # noqa: SLF001 - as above
            with self._lock:
                self._free.append(leaf)

    def close(self) -> None:
        """Kill and remove every leaf, used ones too, and the pool's own groups."""
        if not self.usable:
            return
        with self._lock:
            groups, self._groups, self._free = self._groups, {}, []
        self.reason = "the pool was closed"
        for group in dict.fromkeys(groups.values()):
            files.remove_tree(group)

    def _make_groups(self) -> None:
        name = _group_name(os.getpid())
        groups = {}
        for controller, folder in self._support.folders.items():
            group = os.path.join(folder, name)
            try:
                files.make_folder(group)
                if self._support.version == 2:
                    # Where the parent has it already this changes nothing.
                    files.write_control(os.path.join(folder, "cgroup.subtree_control"), f"+{controller}")
                    files.write_control(os.path.join(group, "cgroup.subtree_control"), f"+{controller}")
            except OSError as error:
                self.reason = f"{controller}: {group}: {error.strerror}"
                continue
            groups[controller] = group
        self._groups = groups
        if not groups:
            for folder in dict.fromkeys(self._support.folders.values()):
                files.remove_tree(os.path.join(folder, name))

    def _make_leaf(self) -> Leaf | None:
        self._leaves += 1
        folders = {controller: f"{group}/leaf-{self._leaves}" for controller, group in self._groups.items()}
        leaf = Leaf(self._support, folders)
        try:
            for folder in dict.fromkeys(folders.values()):
                files.make_folder(folder)
        except OSError as error:
            self.reason = f"{folder}: {error.strerror}"
            leaf._remove()  # noqa: SLF001 - as in acquire()
            return None
        return leaf


def sweep_orphans(support: CgroupSupport) -> int:
    """Remove the groups of owners that are gone.

    Groups of another pid namespace (a neighbouring container) are left alone: whether their owner lives
    cannot be seen from here.

    Returns:
        How many groups were removed.
    """
    removed = 0
    for folder in dict.fromkeys(support.folders.values()):
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                if name.startswith(_GROUP_PREFIX) and _is_orphan(name):
                    removed += files.remove_tree(os.path.join(folder, name))
    return removed


def _is_orphan(name: str) -> bool:
    parts = name.removeprefix(_GROUP_PREFIX).split("-")
    if len(parts) != 4 or not all(part.isdecimal() for part in parts):
        return False
    namespace, pid, start, _ = parts
    return namespace == _pid_namespace() and _start_time(int(pid)) != start


def _group_name(pid: int) -> str:
    return f"{_GROUP_PREFIX}{_pid_namespace()}-{pid}-{_start_time(pid)}-{next(_POOL_NUMBERS)}"


def _pid_namespace() -> str:
    try:
        return str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        return "0"


def _start_time(pid: int) -> str | None:
    """When a process started, in the kernel's ticks; None when there is none of that number."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stream:
            # The name in parentheses may itself hold blanks and parentheses.
            return stream.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return None


_Writes = list[tuple[str, str, str, bool]]  # controller, file, value, whether the file may be missing


def _limit_writes_v1(limits: CgroupLimits) -> _Writes:
    memory = "-1" if limits.memory_bytes is None else str(limits.memory_bytes)
    quota = "-1" if limits.cpus is None else str(int(limits.cpus * _CPU_PERIOD_US))
    return [
        # Memory may never be above memory and swap together: lift both, then lower the smaller first.
        ("memory", "memory.memsw.limit_in_bytes", "-1", True),
        ("memory", "memory.limit_in_bytes", memory, False),
        ("memory", "memory.memsw.limit_in_bytes", memory, True),
        ("pids", "pids.max", _or_max(limits.processes), False),
        ("cpu", "cpu.cfs_period_us", str(_CPU_PERIOD_US), False),
        ("cpu", "cpu.cfs_quota_us", quota, False),
    ]


def _limit_writes_v2(limits: CgroupLimits) -> _Writes:
    quota = "max" if limits.cpus is None else str(int(limits.cpus * _CPU_PERIOD_US))
    return [
        ("memory", "memory.max", _or_max(limits.memory_bytes), False),
        ("memory", "memory.swap.max", _or_max(None if limits.memory_bytes is None else 0), True),
        # Half of a process tree that lives on is of no use to anybody.
        ("memory", "memory.oom.group", "1", True),
        ("pids", "pids.max", _or_max(limits.processes), False),
        ("cpu", "cpu.max", f"{quota} {_CPU_PERIOD_US}", False),
    ]


def _or_max(value: int | None) -> str:
    return "max" if value is None else str(value)


def _difference(now: int | None, before: int | None) -> int | None:
    return None if now is None or before is None else now - before
