"""What `deepgym qa` found out about one environment, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from deepgym.qa.finding import Finding, exit_code
from deepgym.qa.steadiness import Steadiness
from deepgym.qa.strength import Fate, Kills

__all__ = ["PARTS", "AttackRow", "FloorRow", "FormRow", "Options", "QaReport"]

PARTS = ("floor", "cheats", "mutants", "forms", "steadiness")


@dataclass(frozen=True, slots=True)
class Options:
    """How much to do, and what is enough.

    Attributes:
        max_mutants: At most so many mutants.
        min_kill_rate: The share of wrong mutants that has to be killed.
        parts: The examinations to make.
    """

    max_mutants: int = 60
    min_kill_rate: float = 0.95
    parts: tuple[str, ...] = PARTS


@dataclass(frozen=True, slots=True)
class AttackRow:
    """One cheat: what it does, its row in the table of mechanisms, what it scored, and whether that is too much."""

    name: str
    row: int
    title: str
    score: float
    stopped: bool
    turns_a_right_answer: bool


@dataclass(frozen=True, slots=True)
class FloorRow:
    """One answer without thought, and what it scored."""

    name: str
    score: float
    has_verdict: bool = True


@dataclass(frozen=True, slots=True)
class FormRow:
    """One right answer in another form, and whether it scored 1.0."""

    name: str
    accepted: bool
    score: float


@dataclass
class QaReport:
    """Everything about one environment.

    Attributes:
        name: The environment.
        findings: What is wrong with it.
        style: How answers are used: code, program, patch or text.
        is_seeded: Other seeds bring other cases.
        attacks: The cheats.
        floor: The answers without thought, the best first.
        kills: The mutants.
        forms: Right answers in other forms.
        steadiness: Reruns and time.
        elapsed_s: How long it took.
    """

    name: str
    findings: list[Finding] = field(default_factory=list)
    style: str = ""
    is_seeded: bool = False
    attacks: list[AttackRow] = field(default_factory=list)
    floor: list[FloorRow] = field(default_factory=list)
    kills: Kills = field(default_factory=lambda: Kills(()))
    forms: list[FormRow] = field(default_factory=list)
    steadiness: Steadiness | None = None
    elapsed_s: float = 0.0

    @property
    def exit_code(self) -> int:
        """0 sound and strong, 1 gameable or unsound, 2 could not tell."""
        return exit_code(self.findings)

    @property
    def measured_floor(self) -> float:
        """The most that an answer without thought earned."""
        return max((row.score for row in self.floor), default=0.0)

    @property
    def stopped(self) -> int:
        """How many cheats were stopped."""
        return sum(row.stopped for row in self.attacks)

    @property
    def accepted(self) -> int:
        """How many right forms were accepted."""
        return sum(row.accepted for row in self.forms)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON data."""
        kills = self.kills
        return {
            "name": self.name,
            "exit_code": self.exit_code,
            "style": self.style,
            "is_seeded": self.is_seeded,
            "elapsed_s": round(self.elapsed_s, 2),
            "findings": [finding.to_json() for finding in self.findings],
            "floor": {"measured": self.measured_floor, "answers": [asdict(row) for row in self.floor]},
            "cheats": {
                "tried": len(self.attacks),
                "stopped": self.stopped,
                "attempts": [asdict(row) for row in self.attacks],
            },
            "mutants": {
                "kill_rate": kills.rate,
                "interval": list(kills.interval) if kills.interval else None,
                "compared_on": kills.compared_on,
                "fates": [asdict(fate) for fate in kills.fates],
            },
            "forms": {
                "tried": len(self.forms),
                "accepted": self.accepted,
                "attempts": [asdict(row) for row in self.forms],
            },
            "steadiness": asdict(self.steadiness) if self.steadiness else None,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> QaReport:
        """The report that `to_json` wrote."""
        steadiness = data["steadiness"]
        if steadiness is not None:
            failed = tuple((seed, detail) for seed, detail in steadiness["failed"])
            steadiness = Steadiness(**{**steadiness, "failed": failed})
        mutants = data["mutants"]
        return cls(
            name=data["name"],
            findings=[Finding.from_json(item) for item in data["findings"]],
            style=data["style"],
            is_seeded=data["is_seeded"],
            attacks=[AttackRow(**item) for item in data["cheats"]["attempts"]],
            floor=[FloorRow(**item) for item in data["floor"]["answers"]],
            kills=Kills(tuple(Fate(**item) for item in mutants["fates"]), mutants["compared_on"]),
            forms=[FormRow(**item) for item in data["forms"]["attempts"]],
            steadiness=steadiness,
            elapsed_s=data["elapsed_s"],
        )
