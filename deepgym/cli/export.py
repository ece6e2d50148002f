"""`deepgym export`: environments for other systems."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

import click

from deepgym.errors import UsageError
from deepgym.exporters.harbor import export_harbor
from deepgym.exporters.rows import STYLES, Style, make_rows, write_jsonl, write_parquet
from deepgym.registry import load_folder, resolve_environments

__all__ = ["command"]


@click.group("export", short_help="Write environments for other systems.")
def command() -> None:
    """Write environments for other systems: task folders for Harbor, rows for trainers.

    Exit code: 0, or 2 if an environment cannot be read or its copy not be written.
    """


@command.command("harbor", short_help="Write an environment as a task folder.")
@click.argument("env", metavar="ENV")
@click.argument("dest", metavar="DEST")
@click.option(
    "--requirement",
    metavar="TEXT",
    help="What the task's image installs with pip, in place of the packages that are copied for it.",
)
def harbor(env: str, dest: str, requirement: str | None) -> int:
    """Write ENV as a task folder DEST in Harbor's layout. `deepgym run DEST` runs it as well.

    Exit code: 0, or 2 if it cannot be read or written.
    """
    click.echo(str(export_harbor(load_folder(env), dest, requirement=requirement)))
    return 0


@command.command("rows", short_help="Write a row for each environment.")
@click.argument("envs", metavar="ENVS...", nargs=-1, required=True)
@click.option(
    "--for", "style", type=click.Choice(STYLES), default="plain", show_default=True, help="Whose rows."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("jsonl", "parquet")),
    default="jsonl",
    show_default=True,
    help="The file.",
)
@click.option(
    "--output", "-o", metavar="FILE", help="Where to write; else the standard output, as JSON lines."
)
def rows(envs: tuple[str, ...], style: str, form: str, output: str | None) -> int:
    """Write one row for each of ENVS: environments, folders, or whole sets by their name or file.

    A row has the prompt and a reference to the environment (`environment`, and `ground_truth` where trainers look for
    one); keys and cases stay behind. Exit code: 0, or 2 if one cannot be read or the file not be written.
    """
    found = make_rows(resolve_environments(envs), cast("Style", style))
    if form == "parquet":
        if output is None:
            raise UsageError("parquet is no text: name a file with --output")
        write_parquet(found, output)
    elif output is None:
        write_jsonl(found, sys.stdout)
        return 0
    else:
        try:
            with Path(output).open("w", encoding="utf-8") as file:
                write_jsonl(found, file)
        except OSError as error:
            raise UsageError(f"{output} cannot be written: {error.strerror}") from None
    click.echo(f"{len(found)} rows are in {output}", err=True)
    return 0
