"""How findings look on a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.text import Text

from deepgym.cli._printing import safe_text
from deepgym.qa.rules import RULES

if TYPE_CHECKING:
    from rich.console import Console

    from deepgym.qa.finding import Finding

__all__ = ["VERDICTS", "print_findings", "verdict_line"]

VERDICTS = {
    "check": {0: "sound", 1: "unsound", 2: "could not tell"},
    "qa": {0: "strong", 1: "gameable or unsound", 2: "could not tell"},
}
_STYLES = {0: "bold green", 1: "bold red", 2: "bold yellow"}
_SEVERITY_STYLES = {"error": "bold red", "warning": "bold yellow", "unknown": "bold yellow"}
MAX_TRACE_LINES = 12


def verdict_line(word: str, code: int, name: str, note: str) -> Text:
    """The one line that says how it is."""
    return Text.assemble((word, _STYLES[code]), "  ", (safe_text(name), "bold"), "  ", note)


def print_findings(console: Console, findings: Iterable[Finding]) -> None:
    """Each finding: where, which rule, what was seen, what to do, and the trace."""
    for finding in findings:
        rule = RULES[finding.rule]
        console.print(
            Text.assemble(
                "  ",
                (rule.id, _SEVERITY_STYLES[rule.severity]),
                f" {rule.title}: {safe_text(finding.message)}",
                (f"  [{safe_text(finding.place)}]" if finding.place else "", "dim"),
            ),
            soft_wrap=True,
        )
        console.print(Text(f"        fix: {rule.fix}"), soft_wrap=True)
        lines = safe_text(finding.trace).rstrip("\n").split("\n") if finding.trace else []
        for line in lines[:MAX_TRACE_LINES]:
            console.print(Text(f"        | {line}", "dim"), soft_wrap=True)
        if len(lines) > MAX_TRACE_LINES:
            console.print(Text(f"        | ... {len(lines) - MAX_TRACE_LINES} more lines", "dim"))
