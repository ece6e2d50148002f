"""NUPA answers, as Evalchemy scores them: the caller's functions read and split the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifyit.adapters._answers import shown
from verifyit.reward import InvalidTask, Reward, scored

if TYPE_CHECKING:
    from collections.abc import Callable


def grade_nupa_answer(
    candidate: object,
    expected: object,
    answer_format: str,
    *,
    extract_answer: Callable[[str | None, str], str | None],
    full_answer: Callable[[str, str], str | None],
    digit_parts: Callable[[str, str], tuple[str, ...]],
) -> Reward:
    """Whether a number is written exactly as expected, with how many of its digits are right.

    Args:
        candidate: The response.
        expected: The number.
        answer_format: How numbers are written, for the functions.
        extract_answer: Finds the answer in a response.
        full_answer: Writes an answer in full, or None if it is not of the format.
        digit_parts: Splits an answer into its parts, such as those around a point.

    Returns:
        The detail has ``digit_match``, the share of the expected digits that stand at their place, counted
        from the end of each part's nearer side, and ``length_difference``.

    Raises:
        InvalidTask: The expected number is not of the format.
    """
    wanted = full_answer(expected, answer_format) if isinstance(expected, str) else None
    if wanted is None:
        raise InvalidTask(f"the expected answer is not of format {answer_format!r}")
    extracted = extract_answer(candidate if isinstance(candidate, str) else None, answer_format)
    written = full_answer(extracted, answer_format) if isinstance(extracted, str) else None
    if written is None:
        return scored(0.0, reason="no_answer", digit_match=0.0)
    right, digits, difference = _compare(
        digit_parts(wanted, answer_format), digit_parts(written, answer_format)
    )
    return scored(
        float(written == wanted),
        extracted=shown(written),
        digit_match=right / digits if digits else 0.0,
        length_difference=difference,
    )


def _compare(wanted: tuple[str, ...], got: tuple[str, ...]) -> tuple[int, int, int]:
    """How many digits are right, how many there are, and by how much the lengths differ."""
    right = 0
    for place, part in enumerate(wanted):
        other = got[place] if place < len(got) else ""
        # Digits before a point count from it, that is from their end; digits after it from their start.
        pairs = (
            zip(reversed(part), reversed(other), strict=False)
            if place == 0
            else zip(part, other, strict=False)
        )
        right += sum(one == two for one, two in pairs)
    lengths = sum(map(len, wanted)), sum(map(len, got))
    return right, lengths[0], abs(lengths[0] - lengths[1])
