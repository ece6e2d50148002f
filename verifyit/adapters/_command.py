"""What the adapters that are commands share: bounded reads and a verdict's files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from verifyit._verdict_files import clear_reward, write_reward
from verifyit.file_ops.read import read_regular_bytes
from verifyit.reward import InvalidTask, Reward, infra_error, invalid_task

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

DEFAULT_LOGS_DIR = "/logs/verifier"


def reference_text(path: Path) -> str:
    """The text of the task's file.

    Raises:
        InvalidTask: It cannot be read.
    """
    try:
        return read_regular_bytes(path).decode("utf-8")
    except (OSError, ValueError) as error:
        raise InvalidTask(f"cannot read the expected answer {path}: {error}") from None


def candidate_text(path: Path) -> str | None:
    """The text of the candidate's file, or None if there is no such file.

    Raises:
        ValueError: It is no regular file, too large, or not UTF-8.
    """
    try:
        return read_regular_bytes(path).decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(str(error)) from None


def logs_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that says where the verdict goes."""
    parser.add_argument("--logs-dir", type=Path, default=Path(DEFAULT_LOGS_DIR), metavar="DIR")


def write_verdict(logs_dir: Path, grade: Callable[[], Reward]) -> int:
    """Grade and write the verdict's files; whatever happens is a verdict, and the exit code is 0.

    Raises:
        OSError: The files cannot be written.
    """
    clear_reward(logs_dir)
    try:
        verdict = grade()
    except InvalidTask as error:
        verdict = invalid_task(str(error))
    except Exception as error:  # noqa: BLE001 - the boundary: a grader's crash is a verdict too
        verdict = infra_error(f"{type(error).__name__}: {error}")
    write_reward(logs_dir, verdict)
    return 0
