"""How results look on a terminal, and how text that strangers wrote is kept from steering it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.progress import Progress

    from deepgym.models import Case, RunResult

__all__ = ["follow_results", "make_console", "make_progress", "print_result", "safe_text"]

MAX_CASES_SHOWN = 10
MAX_LINES_SHOWN = 40
MAX_LINE_CHARS = 100

# No row of a table comes near it: in a file or a pipe a row is one line, which grep finds whole.
UNWRAPPED_COLUMNS = 1000

# A solution writes error texts, and an escape in them could rewrite what the terminal shows.
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}


def make_console(*, stderr: bool = False) -> Console:
    """A console that prints what it is given, without markup and without guessing at colours of words."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else UNWRAPPED_COLUMNS
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


def safe_text(text: str) -> str:
    """Text with its control characters made visible."""
    return text.translate(_CONTROLS).encode("utf-8", "backslashreplace").decode()


def print_result(console: Console, result: RunResult) -> None:
    """Print a result for people: the verdict, why, the failed cases, and what the verifier wrote when it failed."""
    console.print(_headline(result), soft_wrap=True)
    if result.details:
        console.print(_few_lines(result.details), soft_wrap=True)
    failed = [case for case in result.cases if not case.passed]
    for case in failed[:MAX_CASES_SHOWN]:
        _print_case(console, case)
    if len(failed) > MAX_CASES_SHOWN:
        console.print(f"... and {len(failed) - MAX_CASES_SHOWN} more failed cases")
    if not result.has_verdict and result.stderr:
        console.print("stderr:")
        console.print(_few_lines(result.stderr), soft_wrap=True)


def make_progress(console: Console) -> Progress:
    """A progress bar that is gone when it is done."""
    from rich.progress import (  # noqa: PLC0415 -- only a terminal needs it
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True)


def follow_results(progress: Progress, total: int) -> Callable[[RunResult], None]:
    """What is to be told of every result, so that the bar shows how many have passed."""
    task = progress.add_task("scoring", total=total)
    passed = 0

    def follow(result: RunResult) -> None:
        nonlocal passed
        passed += result.passed
        progress.update(task, advance=1, description=f"{passed} passed")

    return follow


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


def _print_case(console: Console, case: Case) -> None:
    console.print(
        Text.assemble((_one_line(case.id), "bold"), "  ", _one_line(case.error or "failed")), soft_wrap=True
    )
    shown = {"input": case.input_summary, "expected": case.expected_summary, "actual": case.actual_summary}
    for name, text in shown.items():
        if text is not None:
            console.print(f"    {name:8} {_one_line(text)}", soft_wrap=True)


def _few_lines(text: str) -> str:
    lines = safe_text(text).rstrip("\n").split("\n")
    if len(lines) > MAX_LINES_SHOWN:
        lines = [f"... {len(lines) - MAX_LINES_SHOWN} lines ...", *lines[-MAX_LINES_SHOWN:]]
    return "\n".join(lines)


def _one_line(text: str) -> str:
    line = safe_text(text).replace("\n", "\\n")
    return line if len(line) <= MAX_LINE_CHARS else line[: MAX_LINE_CHARS - 1] + "…"
