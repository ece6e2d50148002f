"""Scores of prepared collections of texts: overlap, subsets, precision. Published by grade_exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, TypeAlias

from verifyit._aggregation import are_round_digits, round_half_even
from verifyit._finite import is_finite_number
from verifyit._shown import shown
from verifyit.reward import InvalidTask, Reward, scored

# What one comparison may cost, far above any answer that is a list.
MAX_ITEMS = 10_000
MAX_CHARACTERS = 1_000_000

Texts: TypeAlias = Sequence[str] | AbstractSet[str]


def grade_collection_f1(
    reference: Texts,
    candidate: Texts,
    *,
    multiplicity: Literal["set", "multiset"],
    empty_reference: Literal["zero", "invalid"],
    round_digits: int | None,
) -> Reward:
    """Twice the overlap over the sum of both sizes.

    Args:
        reference: The expected items.
        candidate: The items to score.
        multiplicity: Whether repeats count.
        empty_reference: Whether a reference without items scores 0 or is an unusable task.
        round_digits: Round the score to this many digits, half to even.

    Raises:
        InvalidTask: The reference or an option is unusable.
    """
    if not are_round_digits(round_digits):
        raise InvalidTask(f"round_digits is unusable: {shown(round_digits)}")
    counted = _counted(reference, candidate, multiplicity, empty_reference)
    if isinstance(counted, Reward):
        return counted
    expected, given = counted
    overlap = (expected & given).total()
    total = expected.total() + given.total()
    score = 2 * overlap / total if overlap else 0.0
    return scored(
        score if round_digits is None else round_half_even(score, round_digits),
        overlap=overlap,
        reference_count=expected.total(),
        candidate_count=given.total(),
    )


def grade_collection_subset(reference: Texts, candidate: Texts, *, item_credit: float) -> Reward:
    """Full credit for exactly the reference's set, ``item_credit`` an item for a strict subset of it.

    Raises:
        InvalidTask: The reference is unusable, has no items or an empty one, or the credit is not
            from 0 to 1, or a strict subset could earn more than 1.
    """
    expected = set(_reference_items(reference))
    if not expected or "" in expected:
        raise InvalidTask("the reference must have items, none of them empty")
    if not is_finite_number(item_credit) or not 0 <= item_credit <= 1:
        raise InvalidTask(f"item_credit must be a finite number from 0 to 1, not {shown(item_credit)}")
    if item_credit * (len(expected) - 1) > 1:
        raise InvalidTask("item_credit is so large that part of the answer could earn more than all of it")
    problem = _items_problem(candidate)
    if problem is not None:
        return _invalid_candidate(problem)
    given = set(candidate)
    if not given or not given <= expected:
        return scored(0.0)
    return scored(1.0 if given == expected else item_credit * len(given))


def grade_collection_precision_interval(
    reference: Texts,
    candidate: Texts,
    *,
    minimum_percent: float,
    maximum_percent: float,
    multiplicity: Literal["set", "multiset"],
    empty_reference: Literal["zero", "invalid"],
) -> Reward:
    """Whether the share of the candidate's items that the reference has lies in a closed interval.

    Raises:
        InvalidTask: The reference or an option is unusable, or the bounds are not finite and ordered.
    """
    bounds = (minimum_percent, maximum_percent)
    if not all(is_finite_number(bound) for bound in bounds) or minimum_percent > maximum_percent:
        raise InvalidTask(f"the bounds must be finite and ordered, not {shown(bounds)}")
    counted = _counted(reference, candidate, multiplicity, empty_reference)
    if isinstance(counted, Reward):
        return counted
    expected, given = counted
    overlap, count = (expected & given).total(), given.total()
    # The quotient is formed first: 29 of 50 is then just under 58 percent, as the contract has it.
    passed = bool(count) and minimum_percent <= overlap / count * 100 <= maximum_percent
    return scored(float(passed), overlap=overlap, candidate_count=count)


def _counted(
    reference: Texts, candidate: Texts, multiplicity: object, empty_reference: object
) -> tuple[Counter[str], Counter[str]] | Reward:
    if multiplicity not in ("set", "multiset"):
        raise InvalidTask(f"multiplicity must be set or multiset, not {shown(multiplicity)}")
    if empty_reference not in ("zero", "invalid"):
        raise InvalidTask(f"empty_reference must be zero or invalid, not {shown(empty_reference)}")
    expected = _reference_items(reference)
    if not expected and empty_reference == "invalid":
        raise InvalidTask("the reference has no items")
    problem = _items_problem(candidate)
    if problem is not None:
        return _invalid_candidate(problem)
    if multiplicity == "set":
        return Counter(set(expected)), Counter(set(candidate))
    return Counter(expected), Counter(candidate)


def _reference_items(reference: Texts) -> Collection[str]:
    problem = _items_problem(reference)
    if problem is not None:
        raise InvalidTask(f"the reference is unusable: {problem}")
    return reference


def _items_problem(items: object) -> str | None:
    if isinstance(items, str | bytes | bytearray) or not isinstance(items, Sequence | AbstractSet):
        return "not a collection of texts"
    if len(items) > MAX_ITEMS:
        return f"more than {MAX_ITEMS} items"
    if not all(type(item) is str for item in items):
        return "an item is not a text"
    if sum(map(len, items)) > MAX_CHARACTERS:
        return f"more than {MAX_CHARACTERS} characters"
    return None


def _invalid_candidate(problem: str) -> Reward:
    return scored(0.0, reason="invalid_candidate", error=problem)
