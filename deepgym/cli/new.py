"""`deepgym new`: the folder of a new environment."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from deepgym.errors import UsageError
from deepgym.scaffold import KINDS, write_scaffold

__all__ = ["command"]


@click.command("new", short_help="Write the folder of a new environment.")
@click.argument("name", metavar="NAME")
@click.option(
    "--kind", type=click.Choice(KINDS), default="function", show_default=True, help="What answers are."
)
def command(name: str, kind: str) -> int:
    """Write the folder of a new environment.

    What is in NAME then is small and sound as it stands, to be made yours piece by piece.

    Exit code: 0, or 2 if it cannot be written.
    """
    path = Path(os.path.abspath(os.path.expanduser(name)))
    try:
        written = write_scaffold(path, kind)
    except OSError as error:
        raise UsageError(f"{name} cannot be written: {error.strerror}") from None
    for file in written:
        click.echo(os.path.join(name, file.relative_to(path)))
    shown = shlex.quote(name)
    click.echo(
        f"\nChange it piece by piece, and now and then ask:\n  deepgym check {shown}\n  deepgym qa {shown}",
        err=True,
    )
    return 0
