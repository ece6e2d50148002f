"""The mcq mode: the letter of an option, and scores of options by their likelihoods."""

from __future__ import annotations

import math
import re
import string
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from verifyit._answer import empty_output_policy, read_answer
from verifyit._finite import is_finite_number
from verifyit._shown import shown
from verifyit.reward import InvalidTask, Reward, scored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from verifyit.spec import McqSpec

MAX_OPTIONS = 26
MAX_SHOWN_CHARACTERS = 400

_BOXED_CHARACTER = re.compile(r"\\boxed\{([A-Za-z0-9])\}")
_DECORATION = str.maketrans("", "", "*`_()[]")
_ANSWER = re.compile(r"Answer\s*:\s*([A-Za-z0-9])(?![A-Za-z0-9])")


def validate_mcq(spec: McqSpec) -> None:
    """Check that the spec can be graded by.

    Raises:
        InvalidTask: The number of options is not from 1 to 26, or the expected letter is not one of
            theirs.
    """
    empty_output_policy(spec)
    options: object = spec.options
    if isinstance(options, bool) or not isinstance(options, int) or not 1 <= options <= MAX_OPTIONS:
        raise InvalidTask(f"options must be an integer from 1 to {MAX_OPTIONS}, not {shown(options)}")
    if not isinstance(spec.expected, str) or _letter(spec.expected) not in _letters(spec):
        raise InvalidTask(f"expected must be one of the first {options} letters, not {shown(spec.expected)}")


def _letters(spec: McqSpec) -> list[str]:
    return list(string.ascii_uppercase[: spec.options])


def _letter(text: str) -> str:
    stripped = text.strip()
    # Outside of ASCII, other letters upper-case to these: a dotless i would become an I.
    return stripped.upper() if stripped.isascii() else stripped


def grade_mcq_candidate(spec: McqSpec, candidate: str) -> Reward:
    """Whether a letter, already taken out of its text, is the expected one.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_mcq(spec)
    letter, expected = _letter(candidate), _letter(spec.expected)
    if not letter:
        return scored(0.0, reason="no_answer_line", expected=expected)
    shown = letter[:MAX_SHOWN_CHARACTERS]
    if letter not in _letters(spec):
        return scored(0.0, reason="out_of_range", extracted=shown, expected=expected)
    return scored(float(letter == expected), extracted=shown, expected=expected)


def answer_letters(text: str) -> list[str]:
    r"""Every letter or digit that a text gives after ``Answer:``, or its one letter if it is no more.

    Emphasis, brackets and a box around the letter do not count.
    """
    bare = _BOXED_CHARACTER.sub(r"\1", text).translate(_DECORATION)
    letters = _ANSWER.findall(bare)
    if letters:
        return letters
    stripped = text.strip()
    return [stripped] if len(stripped) == 1 and stripped in string.ascii_letters else []


def grade(spec: McqSpec, tests_dir: Path, workspace: Path) -> Reward:  # noqa: ARG001 - the shape of every grader
    """Grade the last letter that the answer file gives.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_mcq(spec)
    answer = read_answer(spec, workspace)
    if isinstance(answer, Reward):
        return answer
    letters = answer_letters(answer)
    return grade_mcq_candidate(spec, letters[-1] if letters else "")


class LikelihoodScoring(StrEnum):
    """What is scored of a model's likelihoods: its favourite, or the mass of the right options."""

    MOST_LIKELY = "most_likely"
    PROBABILITY_MASS = "probability_mass"


@dataclass(frozen=True)
class LikelihoodStatistics:
    """How likely a model finds some texts, a unit of their length at a time."""

    mean_log_likelihood: float
    perplexity: float
    bits_per_unit: float


def summarize_log_likelihoods(
    likelihoods: Sequence[float], *, normalization_lengths: Sequence[int]
) -> LikelihoodStatistics:
    """The mean log likelihood of a unit of length, and what follows from it.

    Raises:
        InvalidTask: The values do not match, are positive or not finite, a length is not a positive
            integer, or a result is not finite.
    """
    _check_likelihoods(likelihoods, normalization_lengths)
    if any(value > 0 for value in likelihoods):
        raise InvalidTask("a log likelihood is positive")
    try:
        mean = math.fsum(likelihoods) / sum(normalization_lengths)
        # exp() raises where it would overflow, long before the other two could.
        return LikelihoodStatistics(mean, math.exp(-mean), -mean / math.log(2))
    except OverflowError:
        raise InvalidTask("the likelihoods are too small to be summarized") from None


def _check_likelihoods(likelihoods: Sequence[float], lengths: Sequence[int]) -> None:
    if not likelihoods or len(likelihoods) != len(lengths):
        raise InvalidTask("there must be one normalization length for each likelihood, and at least one")
    if not all(is_finite_number(value) for value in likelihoods):
        raise InvalidTask("a log likelihood is not a finite number")
    if not all(isinstance(item, int) and not isinstance(item, bool) and item > 0 for item in lengths):
        raise InvalidTask("a normalization length is not a positive integer")


def grade_mcq_likelihoods(
    likelihoods: Sequence[float],
    correct_indices: Sequence[int],
    *,
    normalization_lengths: Sequence[int],
    policy: LikelihoodScoring,
) -> Reward:
    """Score the likelihoods that a model gave to the options of a question.

    Args:
        likelihoods: The log likelihood of each option.
        correct_indices: Which options are right.
        normalization_lengths: What to divide each log likelihood by.
        policy: Whether the likeliest option must be right, or the right ones' share is the score.

    Raises:
        InvalidTask: The values do not match, or one of them is unusable.
    """
    if not isinstance(policy, LikelihoodScoring):
        raise InvalidTask(f"policy must be a LikelihoodScoring, not {shown(policy)}")
    _check_likelihoods(likelihoods, normalization_lengths)
    correct = _correct_options(correct_indices, len(likelihoods))
    scores = _normalized(likelihoods, normalization_lengths)
    best = max(scores)
    weights = [math.exp(score - best) for score in scores]
    total = math.fsum(weights)
    probabilities = [weight / total for weight in weights]
    selected = scores.index(best)
    if policy is LikelihoodScoring.MOST_LIKELY:
        reward = float(selected in correct)
    else:
        # Rounding may carry the sum of all options a hair over 1.
        reward = min(1.0, math.fsum(weights[index] for index in correct) / total)
    return scored(reward, selected_index=selected, correct_indices=correct, probabilities=probabilities)


def _normalized(likelihoods: Sequence[float], lengths: Sequence[int]) -> list[float]:
    try:
        return [value / length for value, length in zip(likelihoods, lengths, strict=True)]
    except OverflowError:
        raise InvalidTask("a normalization length is too large for a float") from None


def _correct_options(indices: Sequence[int], options: int) -> list[int]:
    for index in indices:
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < options:
            raise InvalidTask(f"{shown(index)} is not the index of an option")
    if not indices:
        raise InvalidTask("no option is correct")
    return sorted(set(indices))
