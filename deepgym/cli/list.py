"""`deepgym list`: the environments of all registries."""

from __future__ import annotations

import json

import click
from rich.table import Table
from rich.text import Text

from deepgym.cli._options import json_option
from deepgym.cli._printing import make_console, safe_text
from deepgym.errors import EnvironmentFileError
from deepgym.registry import find_environments

__all__ = ["command"]


@click.command("list")
@click.option("--tag", "tags", multiple=True, help="Only those with this tag; may be given again.")
@click.option("--difficulty", help="Only those of this difficulty.")
@json_option
def command(tags: tuple[str, ...], difficulty: str | None, as_json: bool) -> int:
    """List the environments that `deepgym run` finds by name.

    Exit code: 0, or 2 if a folder could not be read.
    """
    rows = []
    read = 0
    broken = False
    for entry in find_environments():
        try:
            found = entry.summary()
        except EnvironmentFileError as error:
            click.echo(f"deepgym: {entry.name}: {safe_text(str(error))}", err=True)
            broken = True
            continue
        read += 1
        if set(tags) <= set(found.tags) and difficulty in {None, found.difficulty}:
            rows.append(
                {
                    "name": found.name,
                    "type": found.type,
                    "difficulty": found.difficulty,
                    "domain": found.domain,
                    "tags": list(found.tags),
                    "path": str(entry.path),
                }
            )
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    else:
        table = Table(box=None, pad_edge=False)
        # A name is there to be copied, so it is never cut; a narrow terminal breaks the other columns.
        table.add_column("name", no_wrap=True)
        for heading in ("type", "difficulty", "domain", "tags"):
            table.add_column(heading, overflow="fold")
        for row in rows:
            texts = (row["name"], row["type"], row["difficulty"], row["domain"], ", ".join(row["tags"] or ()))
            table.add_row(*(Text(safe_text(str(text or ""))) for text in texts))
        make_console().print(table)
    if read and not rows:
        click.echo(f"deepgym: none of the {read} environments has what was asked for", err=True)
    return 2 if broken else 0
