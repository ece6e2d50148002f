"""What was seen of an attempt, and what follows from it. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from deepgym.doctor.violation import Violation

__all__ = ["PROOFS", "Finding", "Observation", "Outcome", "conclude", "went_through"]

# reached: it returned something; nothing: it found nothing; refused: an OSError; ended: its process was ended;
# late: it ran out of time; scored, judged_zero, no_verdict: what became of the run; broken: the attempt itself failed;
# unjudged: there is no word of it.
State = Literal[
    "reached",
    "nothing",
    "refused",
    "ended",
    "late",
    "scored",
    "judged_zero",
    "no_verdict",
    "broken",
    "unjudged",
]
Outcome = Literal["stopped", "went through", "unknown", "left out"]

MAX_SAID_CHARS = 160

# What a finding says of a control that worked: of one without a wall, and of one on the verdict.
PROOFS = ("goes through without a wall", "an honest answer scores")


@dataclass(frozen=True, slots=True)
class Observation:
    """How an attempt ended.

    Attributes:
        state: See `State`.
        said: What it got, or what it was told.
        trace: What it left outside, or None.
    """

    state: State
    said: str = ""
    trace: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """The result for one violation.

    Attributes:
        violation: What was tried.
        outcome: Whether it was stopped.
        how: What stopped it, what it got, or why nothing is known.
        control: What the same attempt did without a wall.
    """

    violation: Violation
    outcome: Outcome
    how: str
    control: str


def went_through(violation: Violation, seen: Observation, holds_secret: Callable[[str], bool]) -> bool | None:
    """Whether an attempt succeeded; None when what was seen does not tell."""
    if seen.trace is not None:
        return True
    if violation.evidence == "score":
        known = {"scored": True, "no_verdict": True, "judged_zero": False}
        return known.get(seen.state)
    if seen.state in ("ended", "late"):
        return False if violation.may_end else None
    if seen.state in ("nothing", "refused"):
        return False
    if seen.state != "reached":
        return None
    if violation.evidence == "secret":
        return holds_secret(seen.said)
    return violation.evidence == "word"


def conclude(
    violation: Violation,
    walled: tuple[bool | None, Observation],
    bare: tuple[bool | None, Observation],
) -> Finding:
    """The finding from what an attempt did behind the wall and without it.

    Args:
        violation: What was tried.
        walled: Whether it went through in the sandbox, and what was seen.
        bare: The same for its control.
    """
    through, seen = walled
    worked, there = bare
    if worked:
        control = (
            "an honest answer scores" if violation.evidence == "score" else "goes through without a wall"
        )
    elif violation.without == "works":
        control = _short(f"failed ({there.state}: {there.said})")
    else:
        control = f"refused without a wall too: {violation.without}"
    if through:
        return Finding(violation, "went through", _short(seen.trace or seen.said or seen.state), control)
    if through is None:
        return Finding(violation, "unknown", _short(f"{seen.state}: {seen.said}"), control)
    if not worked and violation.without == "works":
        return Finding(violation, "unknown", "its control fails, so it shows nothing", control)
    return Finding(violation, "stopped", _how(violation, seen), control)


def _how(violation: Violation, seen: Observation) -> str:
    """What stopped it."""
    if violation.evidence == "trace" and seen.state == "reached":
        return "nothing of it is left"
    if violation.evidence == "secret" and seen.state == "reached":
        return "found nothing"
    words = {"nothing": "found nothing", "judged_zero": "judged 0", "late": "ran out of time"}
    return words.get(seen.state) or _short(seen.said)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_SAID_CHARS else line[: MAX_SAID_CHARS - 3] + "..."
