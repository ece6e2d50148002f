"""What one violation is: who tries it, what shows that it went through, and how it is known to attack something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["KINDS", "Evidence", "Violation"]

# What shows that an attempt went through; a trace that it left outside shows it for all of them.
#   word     it returned something
#   secret   what it returned holds something that the doctor has hidden
#   trace    nothing but the trace outside
#   score    it got a score above 0, or no verdict at all
Evidence = Literal["word", "secret", "trace", "score"]

# In the order in which they are shown.
KINDS = {
    "files": "reading files",
    "writing": "writing files",
    "environment": "the caller's environment",
    "processes": "other processes",
    "network": "the network",
    "kernel": "kernel interfaces",
    "privileges": "privileges",
    "programs": "programs and terminals",
    "resources": "resources",
    "leftovers": "staying behind",
    "verdict": "the verdict",
    "judge": "a stranger's verifier",
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that must not be possible.

    Attributes:
        name: What the report calls it; unique.
        kind: One of `KINDS`.
        what: What is tried, for people.
        module: The module of `deepgym.doctor.attempts` with the attempt.
        function: The attempt.
        arguments: What it is called with, after the bait.
        by: Who tries it: the "solution", or the "judge", which is what runs a verifier.
        evidence: What shows that it went through.
        without: "works" when it must go through where there is no wall, so that an attempt that attacks nothing is
            found out; else why it may fail there too. For attempts on the verdict the control is an honest answer.
        limits: Fields of the environment that it runs under.
        may_end: Being killed, or running out of time, is being stopped.
        repeat: So many solutions try it, one after the other.
        victim: It needs a process of its own to attack.
        needs: What of the bait it needs; without that it is left out.
    """

    name: str
    kind: str
    what: str
    module: str
    function: str
    arguments: tuple[Any, ...] = ()
    by: Literal["solution", "judge"] = "solution"
    evidence: Evidence = "word"
    without: str = "works"
    limits: Mapping[str, Any] = field(default_factory=dict)
    may_end: bool = False
    repeat: int = 1
    victim: bool = False
    needs: str | None = None
