"""The grades of isolation, strongest first."""

from __future__ import annotations

from deepgym.models import Isolation

__all__ = ["GRADES", "weaker_than"]

GRADES: tuple[Isolation, ...] = ("vm", "container", "sealed", "seatbelt", "process")


def weaker_than(grade: Isolation, demanded: Isolation) -> bool:
    """Whether a grade is below the one that is demanded."""
    return GRADES.index(grade) > GRADES.index(demanded)
