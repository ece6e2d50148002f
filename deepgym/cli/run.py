"""`deepgym run`: one answer against one environment."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from deepgym.answers import extract_code
from deepgym.cli._options import json_option, judge_option, mode_option, raw_option
from deepgym.cli._printing import make_console, print_result
from deepgym.errors import UsageError
from deepgym.registry import load_folder
from deepgym.shapes import resolve_environment_shape

if TYPE_CHECKING:
    from deepgym.models import Environment

__all__ = ["command"]


@click.command("run")
@click.argument("env", metavar="ENV")
@click.argument("solution_file", metavar="[SOLUTION_FILE|-]", required=False)
@click.option("--answer", metavar="FILE", help="The same as SOLUTION_FILE.")
@click.option("--reference", is_flag=True, help="Run the environment's own reference solution.")
@mode_option
@judge_option
@raw_option
@json_option
def command(
    env: str,
    solution_file: str | None,
    answer: str | None,
    reference: bool,
    mode: str,
    judge: str,
    raw: bool,
    as_json: bool,
) -> int:
    """Score one answer to ENV, an environment's name or folder.

    The answer is the text of SOLUTION_FILE, or of the standard input for `-`. Code is taken out of a fenced answer.
    Exit code: 0 passed, 1 failed, 2 no verdict.
    """
    from deepgym.client import DeepGym  # noqa: PLC0415 -- backends load slowly; a wrong path is said at once

    folder = load_folder(env)
    given = [name for name in (solution_file, answer) if name is not None]
    if len(given) + reference > 1:
        raise click.UsageError("name one answer: SOLUTION_FILE, --answer or --reference")
    if reference:
        if folder.reference_solution is None:
            raise UsageError(f"{env} has no reference_solution: name an answer")
        text = _decode(folder.reference_solution.read_bytes(), str(folder.reference_solution))
    else:
        text = _read_answer(given[0] if given else None)
        text = text if raw or _takes_text(folder.environment) else extract_code(text)
    with DeepGym(mode=mode, judge=judge) as client:
        result = client.run(folder.environment, model_output=text)
    if as_json:
        click.echo(result.model_dump_json(indent=2))
    else:
        print_result(make_console(), result)
    if not result.has_verdict:
        return 2
    return 0 if result.passed else 1


def _takes_text(env: Environment) -> bool:
    """Whether answers are graded as they are, and not run as Python."""
    # A spec grades the text itself, and knows what to make of a fence; a task folder says which file it becomes.
    is_code = str(env.metadata.get("answer_path", ".py")).endswith(".py")
    return not is_code or resolve_environment_shape(env) == "spec"


def _read_answer(name: str | None) -> str:
    """The text of a file, or of the standard input.

    Raises:
        UsageError: The file cannot be read, or is not text.
    """
    if name is None and sys.stdin.isatty():
        raise UsageError("no answer is given: name a file, or - for the standard input")
    try:
        if name is None or name == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(name, "rb") as file:
                data = file.read()
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None
    return _decode(data, name or "-")


def _decode(data: bytes, name: str) -> str:
    try:
        # A model's text may hold lone surrogates, and its line ends are its own.
        return data.decode("utf-8", "surrogatepass")
    except ValueError as error:
        raise UsageError(f"{name} is not UTF-8 text: {error}") from None
