"""The host whose children become judges; see `deepgym_solution._host` for the loop.

A request is ("judge", judge policy, timeout in ms) with the descriptors

    run (SOCK_SEQPACKET, the lifeline)   job   stdout   stderr   report

The host never reads the job, the outputs or the report: they are the client's memory files, and what this process
has read every later judge could read too. When a child has ended it sends on the run socket

    ("ended", status, reason, begun, elapsed_s, contended_s, doubtful)
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import Any

from deepgym._judge import judge
from deepgym_solution import _host, _limits, _pool, _spawn
from deepgym_solution._child import boot, kernel, seal, wire
from deepgym_solution._isolation.policy import Policy, parse_policy
from deepgym_solution._patience import CONTENDED_SHARE, LOOK_PERIOD_S, given_back_s, leaves_doubt

# What verifiers import most; a judge is forked with them loaded.
PRELOAD = (
    "collections",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "inspect",
    "itertools",
    "json",
    "math",
    "os",
    "pathlib",
    "random",
    "re",
    "statistics",
    "string",
    "subprocess",
    "tempfile",
    "textwrap",
    "time",
    "traceback",
    "typing",
    "deepgym_solution",
    "verifyit.grade",
    "verifyit.spec",
)

# Judges share the host's name and, as every solution has its own, need no UTS namespace of their own.
NAMESPACES = (
    kernel.CLONE_NEWUSER
    | kernel.CLONE_NEWNS
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
)

_NO_LIMIT = 1 << 62

# How many threads of a judge could run at once on a free machine.
_CORES = len(os.sched_getaffinity(0))


# What one event can say: a few bytes, and no more time than the longest run may take on all cores.
_MAX_EVENT_BYTES = 256
_MAX_TIMES_S = 86_400.0 * _CORES


class _Judge(_host.Child):
    """A judge under way."""

    __slots__ = ("begun", "contended_s", "deadline", "doubtful", "events", "ran_s", "timeout_s", "unread")

    events: int
    unread: bytes
    timeout_s: float
    deadline: float
    begun: bool
    contended_s: float
    ran_s: float
    doubtful: bool


class JudgeHost(_host.Host):
    """Forks judges, keeps their deadlines, and reports their ends."""

    def __init__(
        self, control_fd: int, caller_pidfd: int | None, spawner: _spawn.Spawner, *, confined: bool = True
    ) -> None:
        """Serve judges; those that are not confined have no limit but time."""
        super().__init__(control_fd, caller_pidfd, spawner)
        self._confined = confined

    def handle(self, message: bytes, fds: list[int]) -> None:
        fields = wire.decode_value(message)
        if type(fields) is not tuple or len(fields) != 3 or fields[0] != "judge" or len(fds) != 5:
            raise ValueError('a request is ("judge", policy, timeout in ms) and 5 descriptors')
        policy, timeout_ms = parse_policy(fields[1]), fields[2]
        if not self._confined:
            policy = replace(policy, memory_bytes=_NO_LIMIT, cpu_s=_NO_LIMIT)
        if type(timeout_ms) is not int or timeout_ms < 1:
            raise ValueError("a timeout is a positive number of milliseconds")
        run, job, stdout, stderr, report = fds
        events, events_there = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)

        request = _spawn.Request(message, (job, stdout, stderr, report, events_there))
        try:
            child = self.start(request, run, policy, kind=_Judge)
        except OSError:
            os.close(events)
            raise
        finally:
            os.close(events_there)
        assert isinstance(child, _Judge)
        child.events, child.timeout_s = events, timeout_ms / 1000
        child.deadline = child.begun_at + child.timeout_s
        child.begun = child.doubtful = False
        child.contended_s = child.ran_s = 0.0
        child.unread = b""
        self.watch(events, lambda: self._take_events(child))

    def refuse(self, fds: list[int], exc: Exception) -> None:
        if fds:
            _host.send(fds[0], wire.encode_value(("refused", str(exc)[:500])))

    def _take_events(self, child: _Judge) -> None:
        try:
            data = os.read(child.events, 4096)
        except BlockingIOError:
            return
        if not data:
            self.unwatch(child.events)
            child.events = -1
            return
        *events, unread = (child.unread + data).split(b";")
        child.unread = unread[-_MAX_EVENT_BYTES:]
        for event in events:
            if event == b"B":
                child.begun = True
            elif event == b"D":
                child.doubtful = True
            else:
                lost_s, ran_s = _times_in(event)
                child.contended_s += lost_s
                child.ran_s += ran_s

    def next_deadline(self) -> float | None:
        """When the earliest running judge has to be looked at."""
        deadlines = [child.deadline for child in self.children() if isinstance(child, _Judge)]
        return min(deadlines, default=None)

    def on_time(self) -> None:
        """End judges whose time is up, unless what is missing was spent waiting for a core."""
        now = time.monotonic()
        for child in self.children():
            if not isinstance(child, _Judge) or child.deadline > now or child.reason is not None:
                continue
            ceiling = child.begun_at + child.timeout_s * _limits.WALL_CEILING_FACTOR
            ran_s, waited_s = self.times(child)
            wall_s = now - child.begun_at
            contended_s = child.contended_s + given_back_s(wall_s, ran_s, waited_s, cores=_CORES)
            # What its solution lost last has not been told yet.
            untold_s = 2 * LOOK_PERIOD_S if contended_s > child.timeout_s * CONTENDED_SHARE else 0.0
            extended = min(child.begun_at + child.timeout_s + contended_s + untold_s, ceiling)
            if extended > now + 0.005:
                child.deadline = extended
            else:
                child.reason = "timeout"
                child.deadline = float("inf")
                child.contended_s = contended_s
                child.doubtful = leaves_doubt(child.timeout_s, child.ran_s + ran_s, contended_s)
                self.kill(child)

    def on_ended(self, child: _host.Child, status: int) -> None:
        assert isinstance(child, _Judge)
        if child.events >= 0:
            self._take_events(child)
        if child.events >= 0:
            self.unwatch(child.events)
        elapsed = time.monotonic() - child.begun_at
        reason = child.reason or ""
        if status in (seal.NOT_SEALED, seal.BROKEN) and not child.begun:
            reason = "unsealed"
        message = ("ended", status, reason, child.begun, elapsed, child.contended_s, child.doubtful)
        _host.send(child.lifeline, wire.encode_value(message))


def _times_in(event: bytes) -> tuple[float, float]:
    """The two numbers of an event such as b"T0.25,1.5"; a verifier that writes anything else here gains nothing."""
    try:
        lost_s, ran_s = (float(number) for number in event.removeprefix(b"T").split(b","))
    except ValueError:
        return 0.0, 0.0
    in_range = 0 <= lost_s < _MAX_TIMES_S and 0 <= ran_s < _MAX_TIMES_S
    return (lost_s, ran_s) if in_range else (0.0, 0.0)


def _policy_of(request: bytes) -> Policy:
    return parse_policy(wire.decode_value(request)[1])  # type: ignore[index]


def become_judge(solution_control: int, *, confined: bool = True) -> _spawn.Become:
    """What turns a child into a judge.

    Args:
        solution_control: The socket over which it starts its solutions.
        confined: It gets limits and gives up privileges.
    """

    def become(request: _spawn.Request, place: seal.Place) -> None:
        policy = _policy_of(request.message)
        job, stdout, stderr, report, events = request.fds
        try:
            _seal(policy, place)
            stdin = os.open("/dev/null", os.O_RDONLY)
            kernel.place((stdin, stdout, stderr, job, report, events, solution_control), inherited=3)
            os.umask(0o077)
            if confined:
                seal.limit(policy)
                seal.give_up_privileges_of_judge()
            _host.wake_up_from_template()
        except OSError as exc:
            os.write(stderr, f"the judge could not be sealed: {exc}\n".encode())
            os._exit(seal.NOT_SEALED)
        judge.run_judge(3, 4, 5, 6, folder=place.inside(judge.FOLDER), ends_family=place.kind == "plain")

    return become


def _seal(policy: Policy, place: seal.Place) -> None:
    if place.kind != "single":  # there bubblewrap has done it
        os.setsid()
        kernel.die_with_parent()
    if place.kind == "user":
        seal.become_user(*place.outer_ids)
    if place.kind == "nested":
        seal.enter_namespaces(policy, *place.outer_ids)
        seal.bring_up_loopback()


def main(config: dict[str, Any]) -> None:
    """Prepare the process, and serve."""
    control: int = config["control"]
    confined = config["way"] != "host"
    become = become_judge(config["fds"][0], confined=confined)
    try:
        if config["way"] == "pool":
            spawner: _spawn.Spawner = _pool.spawner(
                "judge", config, __name__, _policy_of, tuple(config["fds"])
            )
        else:
            boot.prepare(config, PRELOAD)
            if config["way"] == "single":
                boot.serve_one(control, become)
                return
            spawner = boot.spawner_of(config["way"], become, NAMESPACES, seal.JUDGE_UIDS)
        host = JudgeHost(control, config["caller"], spawner, confined=confined)
    except OSError as exc:
        boot.tell_failure(control, exc)
        return
    boot.tell_ready(control)
    host.serve()
