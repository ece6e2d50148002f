"""Mutants of answers that are no Python: another number, another letter, a key that is missing."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from deepgym.qa.mutants import Mutant
from deepgym.qa.subject import Subject

__all__ = ["make_text_mutants"]

# Modes whose key has one answer, so that any other one is wrong; elsewhere a changed answer may be right too.
_ONE_ANSWER = {
    "numeric",
    "math",
    "mcq",
    "exact",
    "answer_key",
    "answer-key",
    "structured_exact",
    "predicted_action",
}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LETTER = re.compile(r"\b[A-H]\b")


def make_text_mutants(subject: Subject, *, limit: int) -> list[Mutant]:
    """Mutants of the reference's text.

    Only the answer in it is changed: of a reasoning text the last box or the last line, of a JSON document any part.
    """
    assert subject.reference is not None
    text = subject.reference.text
    prefix = "answer: " if _mode(subject) in _ONE_ANSWER else "text: "
    found: dict[str, Mutant] = {}
    for operator, changed in _changes(text):
        if changed != text:
            diff = f"-{_shown(text)}\n+{_shown(changed)}"
            line = text[: _first_difference(text, changed)].count("\n") + 1
            found.setdefault(changed, Mutant(prefix + operator, line, changed, diff))
    return list(found.values())[:limit]


def _mode(subject: Subject) -> str:
    source = subject.environment.read_verifier()
    try:
        table = tomllib.loads(source if isinstance(source, str) else source.decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError:
        return ""
    return str(table.get("mode", ""))


def _changes(text: str) -> Iterator[tuple[str, str]]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict | list):
        for operator, changed in _changed_documents(document):
            yield operator, json.dumps(changed)
        return
    start = _answer_start(text)
    head, answer = text[:start], text[start:]
    for match in _NUMBER.finditer(answer):
        number = float(match[0]) if "." in match[0] else int(match[0])
        for changed in (number + 1, number - 1, number + 10, -number, number * 10, number * 2):
            yield "number", head + answer[: match.start()] + str(changed) + answer[match.end() :]
    for match in _LETTER.finditer(answer):
        for other in "ABCDE":
            yield "letter", head + answer[: match.start()] + other + answer[match.end() :]
    words = answer.split()
    if len(words) > 1:
        yield "dropped word", head + " ".join(words[:-1]) + "\n"
        yield "dropped word", head + " ".join(words[1:]) + "\n"


def _answer_start(text: str) -> int:
    if "\\boxed{" in text:
        return text.rindex("\\boxed{")
    stripped = text.rstrip()
    return stripped.rfind("\n") + 1


def _changed_documents(document: Any) -> Iterator[tuple[str, Any]]:
    for path in _paths(document, ()):
        value = _at(document, path)
        if path:
            changed = copy.deepcopy(document)
            del _at(changed, path[:-1])[path[-1]]
            yield "dropped part", changed
        for operator, other in _other_values(value):
            yield operator, _with(document, path, other)


def _other_values(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        yield "value", not value
    elif isinstance(value, int | float):
        yield "value", value + 1
        yield "wrong type", str(value)
    elif isinstance(value, str):
        yield "value", f"{value}x"
        yield "wrong type", [value]
    elif isinstance(value, list):
        yield "wrong type", {}
    elif value is None:
        yield "value", 0


def _paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _paths(inner, (*path, key))


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def _with(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(document)
    _at(changed, path[:-1])[path[-1]] = value
    return changed


def _first_difference(left: str, right: str) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )


def _shown(text: str) -> str:
    line = text.strip().replace("\n", "\\n")
    return line if len(line) <= 200 else f"... {line[-200:]}"
