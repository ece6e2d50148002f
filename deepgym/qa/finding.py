"""A finding: one rule, where it was met, and what was seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from deepgym.qa.rules import RULES, Severity

__all__ = ["Finding", "exit_code"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found.

    Attributes:
        rule: The rule's id.
        message: What was seen, in one line.
        file: The file, relative to the environment's folder where it lies in it.
        line: The line, counted from 1.
        column: The column, counted from 1.
        trace: What the run said: the verdict's details, or the answer that was tried.
    """

    rule: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    trace: str = ""

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return RULES[self.rule].severity

    @property
    def fix(self) -> str:
        """What to do about it."""
        return RULES[self.rule].fix

    @property
    def place(self) -> str:
        """File, line and column as editors understand them; empty when it is nowhere in particular."""
        parts = [self.file or "", *(str(part) for part in (self.line, self.column) if part is not None)]
        return ":".join(parts) if self.file else ""

    def to_json(self) -> dict[str, Any]:
        """The finding as JSON data."""
        rule = RULES[self.rule]
        return {**asdict(self), "severity": rule.severity, "title": rule.title, "fix": rule.fix}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Finding:
        """The finding that `to_json` wrote."""
        return cls(**{name: data[name] for name in ("rule", "message", "file", "line", "column", "trace")})


def exit_code(findings: Iterable[Finding]) -> int:
    """0 sound, 1 unsound, 2 could not tell."""
    found = {finding.severity for finding in findings}
    return 1 if "error" in found else 2 if "unknown" in found else 0
