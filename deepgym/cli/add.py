"""`deepgym add`: put an environment into the user's registry."""

from __future__ import annotations

import click

from deepgym.registry import add_environment, user_registry

__all__ = ["command"]


@click.command("add", short_help="Copy an environment into your registry.")
@click.argument("folder", metavar="FOLDER")
def command(folder: str) -> int:
    """Copy an environment's FOLDER into your registry, so that its name is enough.

    Exit code: 0, or 2 if it is not sound, or there is one of that name.
    """
    name = add_environment(folder)
    click.echo(f"{name} is in {user_registry()}")
    return 0
