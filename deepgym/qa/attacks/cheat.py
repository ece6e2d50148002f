"""How a cheat is written down: data, from which an answer is built for an interface."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Cheat", "Turn"]


@dataclass(frozen=True, slots=True)
class Cheat:
    """A cheat that knows nothing of the right answer.

    Attributes:
        name: Its id in reports.
        row: Its row in the table of mechanisms, see `docs/explanation/qa.md`.
        title: What it does.
        body: The statements of every function and method, of a program, or the text itself.
        prelude: What stands before them.
        hangs: It takes as long as it is let, so it runs under short time-outs.
    """

    name: str
    row: int
    title: str
    body: str
    prelude: str = ""
    hangs: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A cheat that takes a right value and hands it on in a wrong form.

    Attributes:
        name: Its id in reports.
        row: Its row in the table of mechanisms.
        title: What it does.
        source: Python that defines `turn(value)`.
        accepted_as: The form that an environment may say it accepts.
    """

    name: str
    row: int
    title: str
    source: str
    accepted_as: str | None = None
