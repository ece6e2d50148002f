"""What every importer has in common: options, fields of a record by type, and the parts of an environment."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deepgym.errors import RecordError
from deepgym.packing import Answer

__all__ = ["Options", "difficulty_of", "json_field", "python_answers", "text_field", "texts_field"]

_SLUG = re.compile(r"[^a-z0-9._-]+")
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller of an importer chose.

    Attributes:
        tolerance: Absolute or relative room for numbers, in every record; `None`: only where a record tells.
        shown_tests: How many of its assertions an MBPP task shows.
    """

    tolerance: float | None = None
    shown_tests: int | None = 1


def text_field(record: Mapping[str, Any], *names: str, default: str | None = None) -> str:
    """The text in the first of these fields that a record has.

    Raises:
        RecordError: It has none and there is no default, or it holds something else.
    """
    for name in names:
        value = record.get(name)
        if value is not None:
            if not isinstance(value, str):
                raise RecordError(f"{name} is of type {type(value).__name__}, not text")
            return value
    if default is None:
        raise RecordError(f"it lacks {' and '.join(names)}")
    return default


def json_field(record: Mapping[str, Any], name: str, default: object = _MISSING) -> Any:
    """The value in a field that holds JSON, as text or already read.

    Raises:
        RecordError: It is missing and there is no default, or its text is no JSON.
    """
    value = record.get(name)
    if value is None or value == "":
        if default is _MISSING:
            raise RecordError(f"it lacks {name}")
        return default
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{name} is no JSON ({error})") from None


def texts_field(value: object, name: str) -> list[str]:
    """A list of text.

    Raises:
        RecordError: It is none.
    """
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RecordError(f"{name} is no list of text")
    return value


def difficulty_of(value: object) -> str | None:
    """A record's difficulty as one lower-case word."""
    word = _SLUG.sub("-", str(value).lower()).strip("-._") if value is not None else ""
    return None if word in {"", "unknown-difficulty", "unknown"} else word


def python_answers(texts: Sequence[str], name: str) -> tuple[list[Answer], int]:
    """Answers that this version of Python can parse, each once, and how many others there were."""
    found = [text for text in dict.fromkeys(texts) if text.strip() and _parses(text)]
    width = len(str(len(found)))
    answers = [Answer(f"{name}_{number:0{width}}.py", text) for number, text in enumerate(found, 1)]
    return answers, len({text for text in texts if text.strip()}) - len(found)


def _parses(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
