"""`deepgym doctor`: whether the wall of this machine holds, tried and not believed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from deepgym.cli._options import json_option
from deepgym.cli._printing import make_console, safe_text

if TYPE_CHECKING:
    from rich.console import Console

    from deepgym.doctor import Report

__all__ = ["command"]

_STYLES = {"stopped": "green", "went through": "bold red", "unknown": "yellow", "left out": "dim"}


@click.command("doctor", short_help="Attack this machine's sandbox, and say what would raise it.")
@json_option
def command(as_json: bool) -> int:
    """Look at this machine's sandbox, attempt everything that it must stop, and say what would make it better.

    Exit code: 0 all was stopped, 1 something went through, 2 it could not tell.
    """
    from deepgym.doctor import examine  # noqa: PLC0415 -- backends load slowly; --help need not wait

    report = examine()
    if as_json:
        click.echo(json.dumps(report.as_json(), indent=2))
    else:
        console = make_console()
        _print_probes(console, report)
        _print_findings(console, report)
        _print_summary(console, report)
    return report.exit_code


def _print_probes(console: Console, report: Report) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column()
    table.add_column(overflow="fold")
    marks = {True: Text("ok", "green"), False: Text("!", "bold yellow"), None: Text("")}
    for probe in report.probes:
        table.add_row(Text(probe.name), marks[probe.good], Text(safe_text(probe.value)))
    console.print(table)
    console.print()


def _print_findings(console: Console, report: Report) -> None:
    from deepgym.doctor.violation import KINDS  # noqa: PLC0415 -- loaded with the report

    table = Table(box=None, pad_edge=False)
    table.add_column("tried", overflow="fold", ratio=5)
    table.add_column("outcome", no_wrap=True)
    table.add_column("how", overflow="fold", ratio=6)
    for kind, title in KINDS.items():
        rows = [finding for finding in report.findings if finding.violation.kind == kind]
        if not rows:
            continue
        stopped = sum(finding.outcome == "stopped" for finding in rows)
        table.add_row(Text(f"{title}: {stopped} of {len(rows)} stopped", "bold"))
        for finding in rows:
            outcome = Text(finding.outcome, _STYLES[finding.outcome])
            table.add_row(Text("  " + finding.violation.what), outcome, Text(safe_text(finding.how), "dim"))
    console.print(table)
    console.print()


def _print_summary(console: Console, report: Report) -> None:
    counts = report.counts
    tried = sum(counts.values()) - counts["left_out"]
    parts = [f"{counts['stopped']} of {tried} violations were stopped"]
    if counts["went_through"]:
        parts.append(f"{counts['went_through']} went through")
    if counts["unknown"]:
        parts.append(f"{counts['unknown']} could not be told")
    style = {0: "bold green", 1: "bold red", 2: "bold yellow"}[report.exit_code]
    console.print(Text("; ".join(parts) + f" ({report.elapsed_s:.0f} s)", style))
    console.print(f"{report.proven} of those stopped are known to go through where nothing stops them")
    if report.problem:
        console.print(safe_text(report.problem), soft_wrap=True)
    console.print(Text.assemble("isolation: ", (report.grade or "none", "bold")))
    for remedy in report.remedies:
        aim = f" (then: {remedy.raises_to})" if remedy.raises_to else ""
        console.print(Text(f"\n{safe_text(remedy.effect)}{aim}:"), soft_wrap=True)
        console.print(Text(f"    {remedy.command}", "bold"), soft_wrap=True)
