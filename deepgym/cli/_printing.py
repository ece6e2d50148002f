"""How results look on a terminal: tables of rich, and text that strangers wrote with its escapes taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from deepgym.models import RunResult

__all__ = ["make_console", "print_result", "safe_text"]

MAX_CASES_SHOWN = 20
MAX_LINES_SHOWN = 40

# A solution writes error texts, and an escape in them could rewrite what the terminal shows.
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def make_console(*, stderr: bool = False) -> Console:
    """A console that prints what it is given, without markup and without guessing at colours of words."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def safe_text(text: str) -> str:
    """Text with its control characters made visible."""
    return text.translate(_CONTROLS).encode("utf-8", "backslashreplace").decode()


def print_result(console: Console, result: RunResult) -> None:
    """Print a result for people: the verdict, why, the failed cases, and what the verifier wrote when it failed."""
    console.print(_headline(result), soft_wrap=True)
    if result.details:
        console.print(_few_lines(result.details), soft_wrap=True)
    failed = [case for case in result.cases if not case.passed]
    if failed:
        table = Table("case", "input", "expected", "actual", "error", box=None, pad_edge=False)
        for case in failed[:MAX_CASES_SHOWN]:
            texts = (case.id, case.input_summary, case.expected_summary, case.actual_summary, case.error)
            table.add_row(*(Text(safe_text(_short(text or ""))) for text in texts))
        console.print(table)
        if len(failed) > MAX_CASES_SHOWN:
            console.print(f"... and {len(failed) - MAX_CASES_SHOWN} more")
    if not result.has_verdict and result.stderr:
        console.print("stderr:")
        console.print(_few_lines(result.stderr), soft_wrap=True)


def _headline(result: RunResult) -> Text:
    if not result.has_verdict:
        word, style = "no verdict", "yellow"
    elif result.passed:
        word, style = "passed", "green"
    else:
        word, style = "failed", "red"
    parts = [f"score {result.score:g}"]
    if result.cases:
        parts.append(f"{sum(case.passed for case in result.cases)} of {len(result.cases)} cases")
    if result.error_type:
        parts.append(safe_text(result.error_type))
    parts.append(f"{result.execution_time_ms:.0f} ms")
    parts.append("/".join(name for name in (result.backend, result.isolation) if name))
    return Text.assemble((word, f"bold {style}"), "  ", "  ".join(filter(None, parts)))


def _few_lines(text: str) -> str:
    lines = safe_text(text).rstrip("\n").split("\n")
    if len(lines) > MAX_LINES_SHOWN:
        lines = [f"... {len(lines) - MAX_LINES_SHOWN} lines ...", *lines[-MAX_LINES_SHOWN:]]
    return "\n".join(lines)


def _short(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
