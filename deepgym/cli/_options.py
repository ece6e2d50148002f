"""Options that several commands share."""

from __future__ import annotations

import click

__all__ = ["json_option", "mode_option", "raw_option"]

mode_option = click.option(
    "--mode", default="local", show_default=True, help="Where to run: a backend's name."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
raw_option = click.option(
    "--raw", is_flag=True, help="Run the answer as it is, without looking for code in it."
)
