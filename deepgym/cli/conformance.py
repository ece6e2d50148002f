"""`deepgym conformance`: whether a backend keeps every promise."""

from __future__ import annotations

import dataclasses
import json

import click

from deepgym.cli._options import json_option, mode_option
from deepgym.cli._printing import make_console, safe_text
from deepgym.errors import UsageError

__all__ = ["command"]


@click.command("conformance", short_help="Run the conformance suite on a backend.")
@mode_option
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the backend.")
@json_option
def command(mode: str, options: tuple[str, ...], as_json: bool) -> int:
    """Run every scenario of the conformance suite on a backend, and print what was kept.

    Exit code: 0 every promise was kept, 1 some were not, 2 the backend cannot be used.
    """
    from deepgym.backends.conformance import Row, run_conformance  # noqa: PLC0415 -- a wrong option is said at once
    from deepgym.client import DeepGym  # noqa: PLC0415

    console = make_console()

    def show(row: Row) -> None:
        if not as_json:
            word = "kept  " if row.passed else "BROKEN"
            line = f"{word} {row.elapsed_s:6.2f} s  {row.group}: {row.scenario}"
            console.print(safe_text(line if row.passed else f"{line}\n       {row.detail}"), soft_wrap=True)

    with DeepGym(mode=mode, backend_options=_parse_options(options)) as client:
        rows = run_conformance(client, on_row=show)
    kept = sum(row.passed for row in rows)
    if as_json:
        table = [dataclasses.asdict(row) for row in rows]
        click.echo(json.dumps({"mode": mode, "kept": kept, "of": len(rows), "rows": table}, indent=2))
    else:
        console.print(f"{mode}: {kept} of {len(rows)} promises kept")
    return 0 if kept == len(rows) else 1


def _parse_options(words: tuple[str, ...]) -> dict[str, object]:
    pairs = [word.partition("=") for word in words]
    for name, equals, _ in pairs:
        if not (name and equals):
            raise UsageError(f"--option {name!r}: write NAME=VALUE")
    return {name: value for name, _, value in pairs}
