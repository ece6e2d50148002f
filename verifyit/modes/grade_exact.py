"""The exact mode: texts that are the same after light normalization."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from verifyit._answer import empty_output_policy, read_answer
from verifyit._shown import shown
from verifyit.modes._collections import (
    grade_collection_f1,
    grade_collection_precision_interval,
    grade_collection_subset,
)
from verifyit.modes.extract import extract_boxed
from verifyit.reward import InvalidTask, Reward, scored
from verifyit.spec import EmptyOutputPolicy, ExactSpec

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "grade",
    "grade_collection_f1",
    "grade_collection_precision_interval",
    "grade_collection_subset",
    "grade_exact_candidate",
    "validate_exact",
]

# Enough to recognize an answer by; the whole is in the answer file.
MAX_SHOWN_CHARACTERS = 400

_FLAGS = ("ignore_case", "ignore_whitespace", "ordered", "strip_outer_whitespace", "substring")
_WHITESPACE = re.compile(r"\s+")
_SEPARATOR = re.compile(r"[\n,]")


def validate_exact(spec: ExactSpec) -> None:
    """Check that the spec can be graded by.

    Raises:
        InvalidTask: There is no expected text, an entry is not a text or can match nothing, a flag
            is not a boolean, or ``substring`` does not have exactly one text to look for.
    """
    empty_output_policy(spec)
    expected: object = spec.expected
    if not isinstance(expected, list | tuple) or not expected:
        raise InvalidTask("expected must list at least one text")
    if not all(isinstance(entry, str) for entry in expected):
        raise InvalidTask("every expected entry must be a text")
    for name in _FLAGS:
        if not isinstance(getattr(spec, name), bool):
            raise InvalidTask(f"{name} must be true or false, not {shown(getattr(spec, name))}")
    if spec.substring and (len(expected) != 1 or not _normalize(spec, expected[0])):
        raise InvalidTask("substring needs exactly one expected text that is not blank")
    if len(expected) > 1 and not all(_can_match_part(spec, entry) for entry in expected):
        raise InvalidTask("an entry of a list must not be blank or hold a comma or a line break")


def _can_match_part(spec: ExactSpec, entry: str) -> bool:
    # The candidate is split at commas and line breaks and its empty parts are dropped.
    return bool(_normalize(spec, entry)) and _SEPARATOR.search(entry) is None


def _normalize(spec: ExactSpec, text: str) -> str:
    if spec.strip_outer_whitespace:
        text = text.strip()
    if spec.ignore_whitespace:
        text = _WHITESPACE.sub(" ", text)
    return text.casefold() if spec.ignore_case else text


def _matches(spec: ExactSpec, candidate: str) -> bool:
    expected = [_normalize(spec, entry) for entry in spec.expected]
    if spec.substring:
        return expected[0] in _normalize(spec, candidate)
    if len(expected) == 1:
        return expected[0] == _normalize(spec, candidate)
    parts = [_normalize(spec, part) for part in _SEPARATOR.split(candidate)]
    given = [part for part in parts if part]
    return given == expected if spec.ordered else Counter(given) == Counter(expected)


def _verdict(spec: ExactSpec, shown: str, *, matched: bool) -> Reward:
    extracted = shown.strip()[:MAX_SHOWN_CHARACTERS]
    return scored(float(matched), extracted=extracted, expected=list(spec.expected))


def grade_exact_candidate(spec: ExactSpec, candidate: str) -> Reward:
    """Compare a whole text with the expected one, or its parts with the expected list.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_exact(spec)
    if spec.empty_output is EmptyOutputPolicy.ZERO and not candidate.strip():
        return scored(0.0, reason="empty_output")
    return _verdict(spec, candidate, matched=_matches(spec, candidate))


def grade(spec: ExactSpec, tests_dir: Path, workspace: Path) -> Reward:  # noqa: ARG001 - the shape of every grader
    """Compare what stands in the answer's last box, and else the whole answer, with the expected text.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_exact(spec)
    answer = read_answer(spec, workspace)
    if isinstance(answer, Reward):
        return answer
    boxed = extract_boxed(answer)
    attempts = [answer] if boxed is None else [boxed, answer]
    matching = next((attempt for attempt in attempts if _matches(spec, attempt)), None)
    shown = attempts[0] if matching is None else matching
    return _verdict(spec, shown, matched=matching is not None)
