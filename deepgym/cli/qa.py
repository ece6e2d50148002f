"""`deepgym qa`: whether environments can be gamed."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from deepgym.cli._findings import VERDICTS, print_findings, verdict_line
from deepgym.cli._options import json_option, mode_option
from deepgym.cli._printing import make_console, make_progress, safe_text
from deepgym.errors import UsageError
from deepgym.qa.report import PARTS, Options
from deepgym.qa.subject import find_targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from deepgym.qa.report import QaReport

__all__ = ["command"]

# A state file's line, a report's file name.
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@click.command("qa")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Runs at once; else the usable cores.")
@click.option("--html", "html_folder", metavar="DIR", help="Write one page per environment into a folder.")
@click.option("--state", "state_file", metavar="FILE", help="Keep what is done, and take it up from there.")
@click.option("--mutants", type=click.IntRange(min=1), default=60, show_default=True, help="At most so many.")
@click.option(
    "--min-kill-rate", type=click.FloatRange(0, 1), default=0.95, show_default=True, help="What is enough."
)
@click.option(
    "--only", "parts", multiple=True, type=click.Choice(PARTS), help="Only this part; may be given again."
)
@mode_option
@json_option
def command(
    paths: tuple[str, ...],
    jobs: int | None,
    html_folder: str | None,
    state_file: str | None,
    mutants: int,
    min_kill_rate: float,
    parts: tuple[str, ...],
    mode: str,
    as_json: bool,
) -> int:
    """Say whether environments can be gamed.

    Tries cheats, answers without thought, mutants of the reference, right answers in other forms, and reruns.

    PATH is an environment's name or folder, a folder of such folders, or a HumanEval or MBPP file.

    Exit code: 0 sound and strong, 1 gameable or unsound, 2 could not tell.
    """
    from deepgym.qa.state import State  # noqa: PLC0415 -- a wrong path is said at once
    from deepgym.qa.survey import survey  # noqa: PLC0415

    targets = find_targets(paths)
    state = State(Path(state_file) if state_file else None)
    options = Options(max_mutants=mutants, min_kill_rate=min_kill_rate, parts=parts or PARTS)
    console = make_console(stderr=True)
    progress = make_progress(console) if console.is_terminal else None
    reports: list[QaReport] = []
    with progress or nullcontext():
        task = progress.add_task("examining", total=len(targets)) if progress else None

        def tell(text: str) -> None:
            if progress and task is not None:
                progress.update(task, description=safe_text(text))

        for report in survey(targets, options, state, mode=mode, jobs=jobs, on_step=tell):
            reports.append(report)
            if progress and task is not None:
                progress.advance(task)
            if html_folder:
                _write_page(Path(html_folder), report)
            if not as_json:
                _print_report(make_console(), report)
    if as_json:
        click.echo(json.dumps([report.to_json() for report in reports], indent=1))
    else:
        _print_table(make_console(), reports)
    codes = {report.exit_code for report in reports}
    return 1 if 1 in codes else max(codes)


def _write_page(folder: Path, report: QaReport) -> None:
    from deepgym.qa.passport import render_passport  # noqa: PLC0415 -- only where pages are wanted

    path = folder / f"{_UNSAFE.sub('_', report.name).strip('.') or 'environment'}.html"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(render_passport(report), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def _print_report(console: Console, report: QaReport) -> None:
    word = VERDICTS["qa"][report.exit_code]
    console.print(verdict_line(word, report.exit_code, report.name, f"{report.elapsed_s:.1f} s"))
    print_findings(console, report.findings)


def _print_table(console: Console, reports: Sequence[QaReport]) -> None:
    table = Table(
        "environment", "verdict", "cheats", "floor", "kill rate", "interval", "forms", "time", box=None
    )
    for report in reports:
        kills = report.kills
        interval = f"{kills.interval[0]:.2f}-{kills.interval[1]:.2f}" if kills.interval else ""
        cells = (
            safe_text(report.name),
            VERDICTS["qa"][report.exit_code],
            f"{report.stopped}/{len(report.attacks)}",
            f"{report.measured_floor:.2f}",
            "" if kills.rate is None else f"{kills.rate:.2f}",
            interval,
            f"{report.accepted}/{len(report.forms)}",
            f"{report.elapsed_s:.0f} s",
        )
        table.add_row(*map(Text, cells))
    console.print()
    console.print(table)
