"""The command `deepgym`: one module a command, loaded when it is asked for.

Exit codes: 0 yes, 1 no, 2 could not tell. Results go to stdout, everything else to stderr.
"""

from __future__ import annotations

import importlib
import keyword
import sys
import warnings
from typing import Any

import click
from pydantic import ValidationError

from deepgym.errors import DeepGymError, one_of

__all__ = ["cli", "main"]

EXIT_COULD_NOT_TELL = 2
EXIT_INTERRUPTED = 130

# Each is a module here, with a click command of the same name; a word of Python's has a _ after it.
COMMANDS = (
    "add",
    "check",
    "conformance",
    "doctor",
    "eval",
    "export",
    "import",
    "list",
    "new",
    "qa",
    "remove",
    "run",
    "show",
)


class _Commands(click.Group):
    """The commands of this folder, with one way to end for all of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        # Not list(): once the command of that name is loaded, its module is what `list` means here.
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            ctx.fail(f"there is no command {cmd_name!r}: use {one_of(COMMANDS)}")
        command = getattr(importlib.import_module(f"deepgym.cli.{_module_of(cmd_name)}"), "command", None)
        return command if isinstance(command, click.Command) else None

    def main(self, *args: Any, **options: Any) -> Any:
        options["standalone_mode"] = False
        try:
            code = super().main(*args, **options)
        except click.NoSuchOption as error:
            _with_all_options(error).show()
            code = EXIT_COULD_NOT_TELL
        except click.ClickException as error:
            error.show()
            code = EXIT_COULD_NOT_TELL
        except (DeepGymError, ValidationError) as error:
            click.echo(f"deepgym: {explain(error)}", err=True)
            code = EXIT_COULD_NOT_TELL
        except (click.Abort, KeyboardInterrupt):
            click.echo("deepgym: interrupted", err=True)
            code = EXIT_INTERRUPTED
        sys.exit(code if isinstance(code, int) else 0)


def _module_of(command: str) -> str:
    return f"{command}_" if keyword.iskeyword(command) else command


def _with_all_options(error: click.NoSuchOption) -> click.UsageError:
    """The error with every option of its command, not only those that are spelled alike."""
    params = error.ctx.command.params if error.ctx else []
    options = [param.opts[-1] for param in params if isinstance(param, click.Option)]
    message = f"there is no option {error.option_name!r}: use {one_of([*options, '--help'])}"
    return click.UsageError(message, ctx=error.ctx)


def explain(error: Exception) -> str:
    """What went wrong, in one or two lines."""
    if isinstance(error, ValidationError):
        problems = error.errors(include_url=False)
        return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}".strip(": ") for item in problems)
    return str(error)


def _show_warning(message: Warning | str, *_where: object, **_options: object) -> None:
    """A warning as people read it: the line of our source that gave it is none of theirs."""
    click.echo(f"deepgym: warning: {message}", err=True)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="deepgym", message="%(version)s")
def cli() -> None:
    """Score a model's answer with a verifier, and the answer cannot cheat."""


def main() -> None:
    """Run the command line of this process, and end it."""
    warnings.showwarning = _show_warning
    cli.main(prog_name="deepgym")
