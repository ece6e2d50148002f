"""`deepgym import`: a file of published records becomes a packed set."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click
from rich.text import Text

from deepgym.cli._options import json_option
from deepgym.cli._printing import make_console, make_progress, safe_text
from deepgym.importers.importing import FORMATS, import_file
from deepgym.importers.record import Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from deepgym.importers.importing import ImportReport

__all__ = ["command"]

MAX_NOTES_SHOWN = 20


@click.command("import", short_help="Make a packed set of published records.")
@click.argument("kind", metavar="FORMAT", type=click.Choice(FORMATS))
@click.argument("file", metavar="FILE")
@click.argument("dest", metavar="DEST")
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0, min_open=True, max=1),
    help="Room for numbers in outputs, absolute or relative; else only where a record tells.",
)
@click.option(
    "--shown-tests",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="How many of its assertions an MBPP task shows.",
)
@click.option("--replace", is_flag=True, help="Replace a set that is there already.")
@json_option
def command(
    kind: str,
    file: str,
    dest: str,
    tolerance: float | None,
    shown_tests: int,
    replace: bool,
    as_json: bool,
) -> int:
    """Make a packed set of FILE, a file of records in a published FORMAT (for harbor a folder of task folders).

    DEST is a name in your registry, a path, or a folder. JSON, JSON lines, either packed by gzip, and parquet (with
    pyarrow) are read.

    Exit code: 0 if every record was carried over, 1 if some were not (each is listed with the reason), 2 if none was.
    """
    options = Options(tolerance=tolerance, shown_tests=shown_tests)
    console = make_console(stderr=True)
    progress = make_progress(console) if console.is_terminal else None
    with progress or nullcontext():
        on_record: Callable[[int], None] | None = None
        if progress is not None:
            task = progress.add_task("reading records", total=None)

            def on_record(number: int) -> None:
                progress.update(task, completed=number)

        report = import_file(kind, file, dest, options=options, replace=replace, on_record=on_record)
    if as_json:
        click.echo(json.dumps(_as_json(report), indent=2))
    else:
        _print(report)
    return report.exit_code


def _print(report: ImportReport) -> None:
    console = make_console()
    total = len(report.carried) + len(report.not_carried)
    console.print(Text(f"{len(report.carried)} of {total} records are in {report.path}"), soft_wrap=True)
    console.print(f"set {report.set_name}, {report.content_hash}", soft_wrap=True)
    if report.notes:
        console.print(f"{len(report.notes)} notes on records that came over in part:")
    for name, note in report.notes[:MAX_NOTES_SHOWN]:
        console.print(Text(safe_text(f"    {name}: {note}")), soft_wrap=True)
    if len(report.notes) > MAX_NOTES_SHOWN:
        console.print(f"    ... and {len(report.notes) - MAX_NOTES_SHOWN} more; --json prints all")
    if report.not_carried:
        console.print(f"{len(report.not_carried)} records are not carried over:")
    for record_id, reason in report.not_carried:
        console.print(Text(safe_text(f"    {record_id}: {reason}")), soft_wrap=True)


def _as_json(report: ImportReport) -> dict[str, object]:
    return {
        "path": str(report.path),
        "set": report.set_name,
        "content_hash": report.content_hash,
        "carried": len(report.carried),
        "names": list(report.carried),
        "not_carried": [{"id": record_id, "reason": reason} for record_id, reason in report.not_carried],
        "notes": [{"name": name, "note": note} for name, note in report.notes],
    }
