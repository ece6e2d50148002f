"""Rewards in the shapes that SkyRL's environments call."""

from __future__ import annotations

import math
import re
from typing import Final

from verifyit.adapters._answers import grade_grid, grade_members, question_text, shown
from verifyit.modes.extract import extract_boxed, last_line
from verifyit.modes.grade_exact import grade_exact_candidate
from verifyit.numeric import NumericCandidateError, extract_numeric_candidate, numeric_literal
from verifyit.reward import InvalidTask, Reward, scored
from verifyit.spec import EmptyOutputPolicy, ExactSpec

# Where an answer to a grade-school problem must stand: after the last of these marks.
_MARK: Final = re.compile(r"#### (-?[0-9.,]+)")
_TAGS: Final = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
# Answers are compared to cents.
ROUND_DIGITS: Final = 2


def grade_literal_candidate(expected: str, candidate: str) -> Reward:
    """Whether two texts are the same, character by character; an empty text is a text."""
    spec = ExactSpec(
        (expected,),
        ignore_case=False,
        ignore_whitespace=False,
        strip_outer_whitespace=False,
        empty_output=EmptyOutputPolicy.GRADE,
    )
    return grade_exact_candidate(spec, candidate)


def grade_gsm8k_strict(expected: str, response: str, *, format_score: float = 0.0) -> Reward:
    """Whether the number after the last ``####`` is the expected one.

    Args:
        expected: The number as it is written in the data.
        response: The whole response.
        format_score: The reward of a marked number that is wrong.

    Raises:
        InvalidTask: format_score is not in [0, 1].
    """
    if isinstance(format_score, bool) or not 0 <= format_score <= 1:
        raise InvalidTask(f"format_score must be a number from 0 to 1, not {format_score!r}")
    marked = _MARK.findall(response)
    if not marked:
        return scored(0.0, reason="no_marker")
    answer = _bare(marked[-1])
    return scored(1.0 if answer == _bare(expected) else float(format_score), extracted=shown(answer))


def grade_gsm8k_extracted(expected: str, candidate: str) -> Reward:
    """Whether an answer that is already extracted is the expected one, grouping commas and ``$`` aside."""
    return scored(float(_bare(candidate) == _bare(expected)), extracted=shown(candidate))


def grade_gsm8k_final_line(expected: str, response: str) -> Reward:
    """Whether the one number on the last line has exactly the expected value.

    Raises:
        InvalidTask: The expected text is not a number.
    """
    try:
        wanted = numeric_literal(_bare(expected))
    except ValueError as error:
        raise InvalidTask(f"the expected answer is not a number: {error}") from None
    try:
        value = extract_numeric_candidate(last_line(response) or "")
    except NumericCandidateError as error:
        return scored(0.0, reason="invalid_numeric_candidate", error=shown(str(error)))
    return scored(float(value == wanted), extracted=shown(str(value)))


def grade_search_em(targets: str | list[str], response: str) -> Reward:
    """Whether the text in the last ``<answer>`` tags is one of the targets, as question answering compares.

    Raises:
        InvalidTask: There is no target of which something is left to compare.
    """
    wanted = {question_text(target) for target in ([targets] if isinstance(targets, str) else targets)} - {""}
    if not wanted:
        raise InvalidTask("there are no targets")
    answers = _tagged(response)
    if not answers:
        return scored(0.0, reason="no_answer_tags")
    return scored(float(question_text(answers[-1]) in wanted), extracted=shown(answers[-1].strip()))


def grade_rounded_candidate(expected: float, candidate: float | None) -> Reward:
    """Whether two numbers are the same when rounded to two digits.

    Raises:
        InvalidTask: The expected value is not a finite number.
    """
    if not _is_finite(expected):
        raise InvalidTask(f"the expected value must be a finite number, not {expected!r}")
    if not _is_finite(candidate):
        return scored(0.0, reason="nonfinite_candidate")
    assert candidate is not None
    return scored(float(round(float(candidate), ROUND_DIGITS) == round(float(expected), ROUND_DIGITS)))


def grade_grid_candidate(expected: object, candidate: object) -> Reward:
    """Whether two grids of digits are the same.

    Raises:
        InvalidTask: The expected value is not a grid.
    """
    return grade_grid(expected, candidate)


def grade_aime_extracted(expected: str, candidate: str) -> Reward:
    """Whether an extracted answer names the expected exact constants.

    Raises:
        InvalidTask: The expected text does not name exact constants.
        GradingInfraError: The math extra is missing.
    """
    return grade_members(expected, candidate)


def grade_aime_candidate(expected: str, candidate: str) -> Reward:
    """Whether the last box of a response names the expected exact constants.

    Raises:
        InvalidTask: The expected text does not name exact constants.
        GradingInfraError: The math extra is missing.
    """
    boxed = extract_boxed(candidate)
    if boxed is None:
        grade_members(expected, expected)
        return scored(0.0, reason="no_box")
    return grade_members(expected, boxed)


def _bare(text: str) -> str:
    return text.strip().replace(",", "").replace("$", "")


def _tagged(text: str) -> list[str]:
    # Without a closing tag the pattern would look to the end from every opening one.
    closing = text.rfind("</answer>")
    return _TAGS.findall(text[: closing + len("</answer>")]) if closing >= 0 else []


def _is_finite(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
