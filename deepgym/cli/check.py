"""`deepgym check`: whether environments are sound."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from deepgym.cli._findings import VERDICTS, print_findings, verdict_line
from deepgym.cli._options import json_option, mode_option
from deepgym.cli._printing import make_console, make_progress
from deepgym.qa.subject import find_targets

if TYPE_CHECKING:
    from deepgym.qa.check import CheckReport

__all__ = ["command"]


@click.command("check", short_help="Say whether environments are sound.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Environments at once."
)
@mode_option
@json_option
def command(paths: tuple[str, ...], jobs: int, mode: str, as_json: bool) -> int:
    """Say whether environments are sound.

    Looks at the files and the verifier's source, and runs the known answers.

    PATH is an environment's name or folder, or a folder of such folders.

    Exit code: 0 sound, 1 not sound, 2 could not tell.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 -- a wrong path is said at once

    from deepgym.client import DeepGym  # noqa: PLC0415
    from deepgym.qa.check import check_target  # noqa: PLC0415

    targets = find_targets(paths)
    console = make_console(stderr=True)
    progress = make_progress(console) if console.is_terminal and len(targets) > 1 else None
    reports: list[CheckReport] = []
    with DeepGym(mode=mode) as client, ThreadPoolExecutor(jobs) as pool, progress or nullcontext():
        task = progress.add_task("checking", total=len(targets)) if progress else None
        for report in pool.map(lambda target: check_target(client, target), targets):
            reports.append(report)
            if progress and task is not None:
                progress.advance(task)
            if not as_json:
                _print_report(report)
    if as_json:
        click.echo(json.dumps([report.to_json() for report in reports], indent=2))
    elif len(reports) > 1:
        sound = sum(report.exit_code == 0 for report in reports)
        make_console().print(f"{sound} of {len(reports)} environments are sound")
    codes = {report.exit_code for report in reports}
    return 1 if 1 in codes else max(codes)


def _print_report(report: CheckReport) -> None:
    console = make_console()
    word = VERDICTS["check"][report.exit_code]
    console.print(verdict_line(word, report.exit_code, report.name, f"{report.elapsed_s:.1f} s"))
    print_findings(console, report.findings)
