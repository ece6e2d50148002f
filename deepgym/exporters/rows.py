"""Environments as rows of a trainer's data set: a prompt, and a reference by which the environment is found again.

The reference is what `load_environment` takes. Keys and cases are in no row: they stay with the verifier.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import IO, Any, Literal, get_args

from deepgym.errors import UsageError, one_of
from deepgym.models import Environment

__all__ = ["STYLES", "Style", "make_row", "make_rows", "write_jsonl", "write_parquet"]

Style = Literal["plain", "trl", "verl"]
STYLES: tuple[str, ...] = get_args(Style)

# What verl tells data sets apart by, for an environment that does not say where it comes from.
DATA_SOURCE = "deepgym"
ABILITY = "code"


def make_rows(environments: Iterable[tuple[str, Environment]], style: Style) -> list[dict[str, Any]]:
    """The rows of environments, each with the reference that leads to it.

    Raises:
        UsageError: The style is unknown.
    """
    return [
        make_row(reference, env, style, index=index) for index, (reference, env) in enumerate(environments)
    ]


def make_row(reference: str, env: Environment, style: Style, *, index: int = 0) -> dict[str, Any]:
    """One environment's row.

    Args:
        reference: What `load_environment` takes to find it.
        env: The environment.
        style: Whose row: `trl` and `verl` want the prompt as messages; `plain` is the prompt's text.
        index: The row's number, which verl keeps.

    Raises:
        UsageError: The style is unknown.
    """
    messages = [{"role": "user", "content": env.task}]
    about = {"difficulty": env.difficulty or "", "tags": list(env.tags)}
    if style == "verl":
        return {
            "data_source": str(env.metadata.get("dataset") or DATA_SOURCE),
            "prompt": messages,
            "ability": str(env.metadata.get("domain") or ABILITY),
            "reward_model": {"style": "rule", "ground_truth": reference},
            "extra_info": {"environment": reference, "index": index, **about},
        }
    if style not in STYLES:
        raise UsageError(f"there is no style {style!r}: use {one_of(STYLES)}")
    prompt = messages if style == "trl" else env.task
    return {"prompt": prompt, "environment": reference, "ground_truth": reference, **about}


def write_jsonl(rows: Iterable[dict[str, Any]], file: IO[str]) -> None:
    """Write one JSON object a line."""
    for row in rows:
        file.write(json.dumps(row) + "\n")


def write_parquet(rows: Sequence[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Write a parquet file.

    Raises:
        UsageError: pyarrow is not installed, or the file cannot be written.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 -- an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            "parquet needs pyarrow: pip install 'deepgym[parquet]', or use --format jsonl"
        ) from None
    try:
        table = pa.Table.from_pylist([_printable(row) for row in rows])
        parquet.write_table(table, os.fspath(path))
    except OSError as error:
        raise UsageError(f"{os.fspath(path)} cannot be written: {error}") from None


def _printable(value: Any) -> Any:
    """The value without lone surrogates, which have no place in a parquet file."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, list):
        return [_printable(item) for item in value]
    if isinstance(value, dict):
        return {name: _printable(item) for name, item in value.items()}
    return value
