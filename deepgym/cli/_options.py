"""Options that several commands share."""

from __future__ import annotations

import click

__all__ = ["json_option", "judge_option", "mode_option", "raw_option"]

mode_option = click.option(
    "--mode", default="local", show_default=True, help="Where to run: a backend's name."
)
judge_option = click.option(
    "--judge",
    type=click.Choice(["sealed", "host"]),
    default="sealed",
    show_default=True,
    help="Where the verifier runs: in a box of its own, or as you, with your files and network.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
raw_option = click.option(
    "--raw", is_flag=True, help="Run the answer as it is, without looking for code in it."
)
