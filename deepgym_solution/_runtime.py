"""The run that this process judges: how to start solutions, with which limits, and what has been started.

A judge sets it before the verifier's first line. A verifier that an author runs by hand finds none, and a host for
solutions is started for it on first use.
"""

from __future__ import annotations

import atexit
import secrets
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field

from deepgym_solution import _limits
from deepgym_solution._isolation.policy import Policy
from deepgym_solution._launch import Control
from deepgym_solution._printed import Printed
from deepgym_solution._session import Session


@dataclass
class Run:
    """What the helpers need to know of the run under way.

    Attributes:
        control: Gives the socket to the solution host.
        policy: Limits for every solution.
        case_timeout_s: Seconds a call may take.
        seed: What the solution's `random` starts from; the verifier's has a start of its own.
        case_seed: The secret seed for generated cases; `run_seed()` hands it to the verifier.
        report: Takes the verdict of `report()`.
        printed: What all solutions of the run have printed.
        folder: Where the verifier's own files lie, if a judge has put them there.
        sessions: The solutions that are in use.
    """

    control: Callable[[], Control]
    policy: Policy = field(default_factory=Policy)
    case_timeout_s: float = _limits.DEFAULT_CASE_TIMEOUT_S
    seed: int = 0
    case_seed: int = field(default_factory=lambda: secrets.randbits(63))
    report: Callable[[object], None] | None = None
    folder: str | None = None
    printed: Printed = field(default_factory=Printed)
    sessions: weakref.WeakSet[Session] = field(default_factory=weakref.WeakSet)

    def close(self) -> None:
        """End every solution."""
        for session in list(self.sessions):
            session.end()


_current: Run | None = None
_lock = threading.Lock()


def begin(run: Run) -> None:
    """Make this the process's run."""
    global _current  # noqa: PLW0603 - a judge judges one run
    _current = run


def current() -> Run:
    """The run under way; outside a judge, one with a host of its own.

    Raises:
        LaunchError: No host can be started here.
    """
    if _current is None:
        with _lock:
            if _current is None:
                from deepgym_solution import _standalone  # noqa: PLC0415 - a judge never needs it

                run = _standalone.make_run()
                atexit.register(run.close)
                begin(run)
    assert _current is not None
    return _current


def run_seed() -> int:
    """The seed for this run's generated cases.

    The environment's `seed` when it has one, else a number drawn for this run (one for a whole batch). It lives on the
    judge's side only, so cases made from it cannot be memorised; report it as `"seed"` in the verdict to repeat a run.
    """
    return current().case_seed
