"""`deepgym remove`: take an environment out of the user's registry."""

from __future__ import annotations

import click

from deepgym.registry import remove_environment

__all__ = ["command"]


@click.command("remove", short_help="Delete an environment from your registry.")
@click.argument("name", metavar="NAME")
def command(name: str) -> int:
    """Delete the environment NAME from your registry; what was not added stays.

    Exit code: 0, or 2 if your registry has none of that name.
    """
    click.echo(f"removed {remove_environment(name)}")
    return 0
