"""`deepgym check` has nothing to say about the built-in environments."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from deepgym.cli import cli

LIBRARY = Path(__file__).resolve().parents[2] / "environments"


def test_every_built_in_environment_is_sound() -> None:
    done = CliRunner().invoke(cli, ["check", str(LIBRARY)])
    assert done.exit_code == 0, done.output
