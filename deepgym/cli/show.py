"""`deepgym show`: one environment, read and not run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from deepgym.cli._options import json_option
from deepgym.cli._printing import make_console, safe_text
from deepgym.registry import load_folder
from deepgym.shapes import resolve_environment_shape

if TYPE_CHECKING:
    from deepgym.folders import EnvironmentFolder

__all__ = ["command"]

# Named by their own lines, or too long for one.
_ELSEWHERE = frozenset(
    {"task", "name", "verifier_code", "verifier_path", "verifier_mode", "support_files", "test_cases"}
)


@click.command("show", short_help="Show the task and the settings of an environment.")
@click.argument("env", metavar="ENV")
@json_option
def command(env: str, as_json: bool) -> int:
    """Show the task and the settings of ENV, an environment's name or folder.

    Exit code: 0, or 2 if there is none, or it is not sound.
    """
    folder = load_folder(env)
    shape = resolve_environment_shape(folder.environment)
    if as_json:
        click.echo(json.dumps({**_summary(folder), "verifier_shape": shape, **_settings(folder)}, indent=2))
        return 0
    console = make_console()
    console.print(Text(folder.environment.name, "bold"))
    console.print(safe_text(folder.environment.task.strip()), soft_wrap=True)
    console.print()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(overflow="fold")
    for name, value in {"verifier_shape": shape, **_summary(folder), **_settings(folder)}.items():
        if name != "task" and value not in (None, "", [], {}):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            table.add_row(name, Text(safe_text(text)))
    console.print(table)
    return 0


def _summary(folder: EnvironmentFolder) -> dict[str, object]:
    env = folder.environment
    cases = env.test_cases
    return {
        "name": env.name,
        "task": env.task,
        "path": str(folder.path),
        "verifier": env.verifier_path,
        "support_files": sorted(env.support_files),
        "test_cases": len(cases) if cases is not None else None,
        "reference_solution": str(folder.reference_solution) if folder.reference_solution else None,
        "right_solutions": [path.name for path in folder.right],
        "wrong_solutions": [path.name for path in folder.wrong],
    }


def _settings(folder: EnvironmentFolder) -> dict[str, object]:
    return folder.environment.model_dump(mode="json", exclude=set(_ELSEWHERE))
