"""Comparisons that several adapters share."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from typing import Final

from verifyit.modes.grade_math import canonical_math_members
from verifyit.reward import InvalidTask, Reward, scored

MAX_GRID_SIDE: Final = 30
SHOWN_CHARACTERS: Final = 200

_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")


def shown(text: object) -> str | None:
    """The start of a text, for a verdict's detail."""
    return text[:SHOWN_CHARACTERS] if isinstance(text, str) else None


def plain_number(text: str) -> float | None:
    """The finite number that a short text of ASCII digits spells, or None."""
    text = text.strip()
    if len(text) > SHOWN_CHARACTERS or not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def question_text(text: str) -> str:
    """A text as question answering compares it: no case, punctuation, articles or spacing."""
    bare = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def is_grid(value: object) -> bool:
    """Whether a value is a rectangle of digits from 0 to 9, of 1 to 30 on a side."""
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_GRID_SIDE:
        return False
    if not all(isinstance(row, list) and len(row) == len(value[0]) for row in value):
        return False
    if not 1 <= len(value[0]) <= MAX_GRID_SIDE:
        return False
    return all(type(cell) is int and 0 <= cell <= 9 for row in value for cell in row)


def grade_grid(expected: object, candidate: object) -> Reward:
    """Whether two grids are the same.

    Raises:
        InvalidTask: The expected value is not a grid.
    """
    if not is_grid(expected):
        raise InvalidTask("the expected value is not a grid of digits")
    if not is_grid(candidate):
        return scored(0.0, reason="invalid_grid")
    return scored(float(expected == candidate))


def grade_members(expected: str, candidate: str) -> Reward:
    """Whether two texts name the same exact constants, each as often.

    Raises:
        InvalidTask: The expected text does not name exact constants.
        GradingInfraError: The math extra is missing.
    """
    try:
        wanted = Counter(canonical_math_members(expected))
    except ValueError as error:
        raise InvalidTask(f"the expected answer is not exact: {error}") from None
    try:
        got = Counter(canonical_math_members(candidate))
    except ValueError as error:
        return scored(0.0, reason="invalid_candidate", error=shown(str(error)))
    return scored(float(got == wanted), extracted=shown(candidate))
