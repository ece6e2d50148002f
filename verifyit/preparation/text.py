"""Texts made ready for an exact comparison, as evaluation harnesses do it.

The harness policy works on arrays of texts, as the harnesses do, because that is visible in the result:
an array of texts drops null characters at their ends and lowers letters one text at a time.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from verifyit.preparation.errors import candidate_failure, machine_failure, task_failure

if TYPE_CHECKING:
    from types import ModuleType

STRUCTURE: Final = "structure"
NORMALIZE: Final = "normalize"
# Ignore patterns come from harness configurations, and some of them take quadratic time.
MAX_PATTERN_CHARACTERS: Final = 20_000


class TextPolicy(StrEnum):
    """How texts are normalized."""

    HARNESS_EXACT = "harness_exact_v1"
    IDENTITY = "identity"


@dataclass(frozen=True)
class TextInputs:
    """A candidate and the references it may match, as they came."""

    candidate: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class TextNormalization:
    """A policy and its options; the identity has none."""

    policy: TextPolicy = TextPolicy.HARNESS_EXACT
    regexes_to_ignore: tuple[str, ...] = ()
    ignore_case: bool = False
    ignore_punctuation: bool = False
    ignore_numbers: bool = False


@dataclass(frozen=True)
class PreparedText:
    """Texts as they came, as they are compared, and by which rule."""

    raw: TextInputs
    candidate: str
    references: tuple[str, ...]
    normalization: TextNormalization


def structure_text(candidate: str, references: Sequence[str]) -> TextInputs:
    """A snapshot of the texts to compare.

    Raises:
        InvalidPreparation: There are no references, or one is empty or no text.
        PreparationError: The candidate is no text; the verdict is a scored 0.
    """
    given: object = references
    if isinstance(given, str | bytes) or not isinstance(given, Sequence) or not given:
        raise task_failure(STRUCTURE, "TypeError", "references must be a list of texts")
    for reference in given:
        if not isinstance(reference, str) or not reference:
            raise task_failure(STRUCTURE, "ValueError", "a reference is empty or no text")
    answer: object = candidate
    if not isinstance(answer, str):
        message = f"the candidate is {type(answer).__name__} and no text"
        raise candidate_failure(STRUCTURE, "TypeError", message)
    return TextInputs(candidate, tuple(references))


def normalize_text(inputs: TextInputs, normalization: TextNormalization) -> PreparedText:
    """The texts under a policy.

    Raises:
        InvalidPreparation: The policy is unknown, the identity has options, or a pattern is malformed.
        PreparationError: The candidate is too long for patterns (a scored 0), or numpy is not installed
            (an infra_error).
    """
    patterns = _check(normalization)
    if normalization.policy is TextPolicy.IDENTITY:
        return PreparedText(inputs, inputs.candidate, inputs.references, normalization)
    if patterns and len(inputs.candidate) > MAX_PATTERN_CHARACTERS:
        message = f"the candidate is longer than {MAX_PATTERN_CHARACTERS} characters"
        raise candidate_failure(NORMALIZE, "ValueError", message)
    texts = [inputs.candidate, *inputs.references]
    for pattern in patterns:
        texts = [pattern.sub("", text) for text in texts]
    numpy = _numpy()
    # The candidate and the references are separate arrays, as they are where this policy comes from.
    candidate = _plain(numpy, texts[:1], normalization)[0]
    references = _plain(numpy, texts[1:], normalization)
    return PreparedText(inputs, candidate, tuple(references), normalization)


def _check(normalization: TextNormalization) -> list[re.Pattern[str]]:
    options = (
        normalization.regexes_to_ignore,
        normalization.ignore_case,
        normalization.ignore_punctuation,
        normalization.ignore_numbers,
    )
    if normalization.policy is TextPolicy.IDENTITY:
        if any(options):
            raise task_failure(NORMALIZE, "ValueError", "the identity has no options")
        return []
    if normalization.policy is not TextPolicy.HARNESS_EXACT:
        raise task_failure(NORMALIZE, "ValueError", f"unknown policy {normalization.policy!r}")
    try:
        return [re.compile(pattern) for pattern in normalization.regexes_to_ignore]
    except (re.error, TypeError, RecursionError) as error:
        raise task_failure(NORMALIZE, type(error).__name__, f"a pattern is malformed: {error}") from None


def _numpy() -> ModuleType:
    try:
        import numpy  # noqa: PLC0415, ICN001 - only this policy needs it
    except ImportError as error:
        raise machine_failure(NORMALIZE, "ImportError", f"numpy is not installed: {error}") from error
    return numpy


def _plain(numpy: Any, texts: list[str], normalization: TextNormalization) -> list[str]:
    array = numpy.asarray(texts)
    if normalization.ignore_case:
        array = numpy.char.lower(array)
    if normalization.ignore_punctuation:
        array = numpy.char.translate(array, table=str.maketrans("", "", string.punctuation))
    if normalization.ignore_numbers:
        array = numpy.char.translate(array, table=str.maketrans("", "", string.digits))
    return [str(text) for text in array]
