"""The words of the instruction checks: paragraphs, sentences, words, keywords, counts, parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Check: TypeAlias = Callable[[str, dict[str, Any]], tuple[bool, str]]

CONSTRAINTS: dict[str, Check] = {}

_PARAGRAPH_BREAK = re.compile(r"\n\s*\n+")
_SENTENCE_BREAK = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"[A-Za-z0-9'-]+")


class ParameterError(ValueError):
    """A parameter is missing or of the wrong kind; the check fails."""


def constraint(name: str) -> Callable[[Check], Check]:
    """A decorator that registers a check under a constraint's name."""

    def register(check: Check) -> Check:
        CONSTRAINTS[name] = check
        return check

    return register


def paragraphs(text: str) -> list[str]:
    """The parts of a text between blank lines."""
    return [part for part in _PARAGRAPH_BREAK.split(text.strip()) if part.strip()]


def sentences(text: str) -> list[str]:
    """The parts of a text that end in a point, an exclamation mark or a question mark."""
    return [part for part in _SENTENCE_BREAK.split(text.strip()) if part]


def words(text: str) -> list[str]:
    """The runs of ASCII letters, digits, apostrophes and hyphens in a text."""
    return _WORD.findall(text)


def count_keyword(text: str, keyword: str) -> int:
    """How often a keyword stands in a text as a word of its own, in any case."""
    if not keyword:
        return 0
    # Not \b: it would ask for a word character next to a keyword that ends in punctuation.
    return len(re.findall(rf"(?<!\w){re.escape(keyword)}(?!\w)", text, re.IGNORECASE))


def contains_keyword(text: str, keyword: str, word_boundary: bool = True) -> bool:
    """Whether a keyword stands in a text, as a word of its own or anywhere, in any case."""
    if word_boundary:
        return count_keyword(text, keyword) > 0
    return bool(keyword) and keyword.lower() in text.lower()


def compare(actual: int, relation: str, expected: int) -> tuple[bool, str] | None:
    """Whether a count is in a relation to another, and the finding in words; None for an unknown relation."""
    if relation == "at least":
        holds = actual >= expected
    elif relation == "at most":
        holds = actual <= expected
    elif relation == "less than":
        holds = actual < expected
    elif relation in ("equal", "exactly"):
        holds = actual == expected
    else:
        return None
    return holds, f"{actual}, expected {relation} {expected}"


def compared(
    actual: int, params: Mapping[str, Any], *, expected: str, relation: str = "relation"
) -> tuple[bool, str]:
    """The finding on a count, by the parameters that hold the expected count and the relation."""
    wanted = params.get(relation, "at least")
    found = compare(actual, wanted, count_param(params, expected))
    if found is None:
        raise ParameterError(f"{relation} is unknown: {wanted!r}")
    return found


def count_param(params: Mapping[str, Any], name: str) -> int:
    """An integer parameter; a boolean is not one."""
    value = params.get(name)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterError(f"{name} must be an integer")
    return value


def text_param(params: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """A text parameter."""
    value = params.get(name, default)
    if not isinstance(value, str):
        raise ParameterError(f"{name} must be a text")
    return value


def texts_param(params: Mapping[str, Any], name: str, default: list[str] | None = None) -> list[str]:
    """A parameter that is a list of texts."""
    value = params.get(name, default)
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ParameterError(f"{name} must be a list of texts")
    return list(value)


def flag_param(params: Mapping[str, Any], name: str, *, default: bool) -> bool:
    """A boolean parameter."""
    value = params.get(name, default)
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be true or false")
    return value


def same_word(left: str, right: str) -> bool:
    """Whether two words are the same in any case."""
    return left.lower() == right.lower()


def verdict(passed: bool, detail: str) -> tuple[bool, str]:
    """The finding of a check."""
    return bool(passed), detail
