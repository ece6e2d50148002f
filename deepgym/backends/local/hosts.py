"""The pair of hosts of one local backend: started on first use, started anew when one is gone, ended with the client.

Theory of operation. The client starts two processes, each in a box of its own: the solution host and the judge host
(which gets the control socket of the first). Both fork single-use children. A process that was forked from the
client's has no hosts of its own yet: it starts its own pair and leaves the inherited one alone.
"""

from __future__ import annotations

import os
import threading
import warnings
from dataclasses import dataclass
from itertools import pairwise

from deepgym._forks import forget_after_fork
from deepgym.backends.local.warden import Warden
from deepgym.errors import BackendUnavailableError, UsageError, one_of
from deepgym_solution._child import kernel
from deepgym_solution._isolation import bwrap
from deepgym_solution._process import HostError, HostPlan, HostProcess
from deepgym_solution._standalone import BOOT, POOL_BOOT

_JUDGE_BOOT = "deepgym._judge.host"
_WAY_VARIABLE = "DEEPGYM_LOCAL_WAY"
_KINDS = ("nested", "pool", "plain")


@dataclass(frozen=True, slots=True)
class Way:
    """How this machine seals a solution.

    Attributes:
        isolation: The grade: "sealed" or "process".
        detail: What was used, for people.
        bwrap: The bubblewrap, or None.
        kind: "nested", "pool" or "plain"; see `deepgym_solution._process.HostPlan`.
    """

    isolation: str
    detail: str
    bwrap: str | None
    kind: str


def find_ways() -> list[Way]:
    """The ways that this machine may allow, best first; only starting a host tells which one it does.

    `DEEPGYM_LOCAL_WAY` ("nested", "pool" or "plain") allows a single one, for tests and for comparing them.

    Raises:
        UsageError: It has another value.
        BackendUnavailableError: It names a way that this machine does not have.
    """
    wanted = os.environ.get(_WAY_VARIABLE) or None
    if wanted not in (None, *_KINDS):
        raise UsageError(f"{_WAY_VARIABLE}={wanted!r} is no way: use {one_of(_KINDS)}, or unset it")
    path, why = bwrap.find_bwrap()
    ways = []
    if path is not None:
        if kernel.can_clone():
            ways.append(
                Way("sealed", f"{path}: single-use children in namespaces of their own", path, "nested")
            )
        ways.append(Way("sealed", f"{path}: a pre-started box for each solution and judge", path, "pool"))
    if wanted == "plain":
        why = f"{_WAY_VARIABLE} says so"
    elif path is not None:
        why = f"{path} works, and no host starts in its box"
    ways.append(Way("process", f"a separate process only: {why}", None, "plain"))
    allowed = [way for way in ways if wanted in (None, way.kind)]
    if not allowed:
        missing = "user namespaces cannot be made" if path is not None else why
        raise BackendUnavailableError(
            f"{_WAY_VARIABLE}={wanted} is not to be had here: {missing}; or unset it"
        )
    return allowed


class HostPair:
    """A solution host and the judge host that uses it."""

    def __init__(self, way: Way, *, preload: tuple[str, ...] = (), judge_on_host: bool = False) -> None:
        """Start both.

        Args:
            way: How solutions are sealed, and judges too.
            preload: Modules that solutions find imported.
            judge_on_host: Judges are not.

        Raises:
            HostError: One cannot be started.
        """
        boot = POOL_BOOT if way.kind == "pool" else BOOT
        self.solution = HostProcess(HostPlan("solution", boot, way.kind, way.bwrap, preload))
        try:
            judge_way = "host" if judge_on_host else way.kind
            plan = HostPlan("judge", _JUDGE_BOOT, judge_way, way.bwrap)
            self.judge = HostProcess(plan, pass_fds=(self.solution.control.fileno(),))
        except BaseException:
            self.solution.close()
            raise
        try:
            self._warden = Warden()
        except BaseException:
            self.judge.close()
            self.solution.close()
            raise
        for host in (self.solution, self.judge):
            self._warden.guard(host.pid)

    def is_alive(self) -> bool:
        """Both run."""
        return self.judge.is_alive() and self.solution.is_alive()

    def close(self) -> None:
        """End both, and everything in them."""
        self.solution.hang_up()  # so that both end at the same time
        self.judge.close()
        self.solution.close()
        self._warden.close()


class Hosts:
    """The current pair of one client, per process."""

    def __init__(self, *, judge_on_host: bool = False) -> None:
        """Start nothing yet; see HostPair for the option."""
        self.judge_on_host = judge_on_host
        self._lock = threading.Lock()
        self._pair: HostPair | None = None
        self._way: Way | None = None
        self._closed = False
        forget_after_fork(self)

    @property
    def way(self) -> Way:
        """How solutions are sealed here. Starts the hosts, for only that tells.

        Raises:
            HostError: No pair can be started in any way.
        """
        if self._way is None:
            self.pair()
        assert self._way is not None
        return self._way

    def _start(self) -> HostPair:
        """A pair in the best way that works, which is then kept."""
        ways = [self._way] if self._way is not None else find_ways()
        for way, after in pairwise(ways):
            try:
                return self._started(way)
            except HostError as exc:
                # Another way to the same wall may be tried for any reason, a weaker wall only where it is known that
                # this one cannot be had.
                if not exc.nested and after.isolation != way.isolation:
                    raise
        return self._started(ways[-1])

    def _started(self, way: Way) -> HostPair:
        pair = HostPair(way, judge_on_host=self.judge_on_host)
        if self._way is None and way.isolation == "process":
            warnings.warn(
                f"solutions are not sealed on this machine, they run in {way.detail}. `deepgym doctor` says how to "
                "change that.",
                RuntimeWarning,
                stacklevel=5,
            )
        self._way = way
        return pair

    def running_pair(self) -> HostPair | None:
        """The pair, if it is there and runs: what can be had without waiting."""
        pair = self._pair
        return pair if pair is not None and pair.is_alive() else None

    def pair(self) -> HostPair:
        """The running pair; started now if there is none.

        Raises:
            HostError: No pair can be started.
            BackendUnavailableError: The client is closed.
        """
        with self._lock:
            if self._closed:
                raise BackendUnavailableError("this client is closed: make a new DeepGym")
            if self._pair is not None and not self._pair.is_alive():
                self._pair.close()
                self._pair = None
            if self._pair is None:
                self._pair = self._start()
            return self._pair

    def discard(self, pair: HostPair) -> None:
        """A run found the pair dead: the next run gets another one."""
        with self._lock:
            if self._pair is pair:
                self._pair = None
        pair.close()

    def after_fork(self) -> None:
        """This process starts a pair of its own; the inherited one is not ended, only let go of."""
        self._lock = threading.Lock()
        pair, self._pair = self._pair, None
        if pair is not None:
            pair.close()

    def close(self) -> None:
        """End the hosts; no run is possible afterwards."""
        with self._lock:
            self._closed = True
            pair, self._pair = self._pair, None
        if pair is not None:
            pair.close()
