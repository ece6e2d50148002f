"""Rewards for a cohort of responses that were rated two by two."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from verifyit.reward import InvalidTask, Reward, scored

TIE_POLICY: Final = "ranking_midpoint"


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float
    rank_low: float
    rank_high: float

    @property
    def slack(self) -> float:
        """How far a tie can be shifted beyond the ratings."""
        return (self.rank_high - self.rank_low) / 2

    def reward(self, raw: float) -> float:
        """A raw rating on the scale from 0 to 1."""
        low, high = self.low - self.slack, self.high + self.slack
        return min(max((raw - low) / (high - low), 0.0), 1.0)


def grade_paired_ordinal(
    cohort_size: int,
    expected_edges: list[tuple[int, int]],
    ratings: object,
    *,
    rating_bounds: tuple[float, float] = (1.0, 5.0),
    ranking_bounds: tuple[float, float] = (1.0, 6.0),
    tie_policy: str = TIE_POLICY,
) -> list[Reward]:
    """The reward of each response of a cohort, from ratings of pairs.

    A pair ``(first, second)`` has a rating for each of the two and a ranking, whose low end says that the
    first is better. Where both ratings are the same, the first is raised and the second lowered by how far
    the ranking lies below its midpoint. A response's reward is the mean over its pairs.

    Args:
        cohort_size: How many responses there are.
        expected_edges: The pairs that must have been rated, each once.
        ratings: ``{(first, second): (rating of first, rating of second, ranking)}``, or a list of
            ``(first, second, rating, rating, ranking)``.
        rating_bounds: Lowest and highest rating.
        ranking_bounds: Lowest and highest ranking.
        tie_policy: Only ``ranking_midpoint``.

    Raises:
        InvalidTask: The cohort, the pairs, the bounds or the policy are unusable.
        RuntimeError: The ratings are not exactly those of the expected pairs, or out of bounds.
    """
    scale = _scale(rating_bounds, ranking_bounds)
    if tie_policy != TIE_POLICY:
        raise InvalidTask(f"tie_policy must be {TIE_POLICY}, not {tie_policy!r}")
    _check_cohort(cohort_size, expected_edges)
    table = _table(ratings)
    if sorted(table) != sorted(expected_edges):
        raise RuntimeError("the ratings do not cover exactly the expected pairs")
    raw: list[list[float]] = [[] for _ in range(cohort_size)]
    for (first, second), (one, other, ranking) in table.items():
        _check_bounds(scale, one, other, ranking)
        shift = (scale.rank_low + scale.rank_high) / 2 - ranking if one == other else 0.0
        raw[first].append(one + shift)
        raw[second].append(other - shift)
    return [scored(math.fsum(map(scale.reward, values)) / len(values), ratings=len(values)) for values in raw]


def _scale(rating_bounds: object, ranking_bounds: object) -> _Scale:
    limits: list[float] = []
    for bounds in (rating_bounds, ranking_bounds):
        if not isinstance(bounds, tuple | list) or len(bounds) != 2 or not all(map(_is_number, bounds)):
            raise InvalidTask(f"bounds must be two finite numbers, not {bounds!r}")
        if bounds[0] >= bounds[1]:
            raise InvalidTask(f"bounds must be in order, not {bounds!r}")
        limits += map(float, bounds)
    return _Scale(*limits)


def _check_cohort(size: object, edges: object) -> None:
    if type(size) is not int or size < 2:
        raise InvalidTask(f"a cohort has at least two responses, not {size!r}")
    if not isinstance(edges, list | tuple) or not all(_is_edge(edge, size) for edge in edges):
        raise InvalidTask("expected_edges must be pairs of different responses of the cohort")
    if len(set(edges)) != len(edges):
        raise InvalidTask("expected_edges holds a pair twice")
    if {place for edge in edges for place in edge} != set(range(size)):
        raise InvalidTask("a response of the cohort is in no pair")


def _is_edge(edge: object, size: int) -> bool:
    if not isinstance(edge, tuple) or len(edge) != 2 or not all(type(place) is int for place in edge):
        return False
    return edge[0] != edge[1] and all(0 <= place < size for place in edge)


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]  # narrowed by type()


def _table(ratings: object) -> dict[tuple[int, int], tuple[float, float, float]]:
    rows = (
        [(*_row(edge), *_row(values)) for edge, values in ratings.items()]
        if isinstance(ratings, Mapping)
        else ratings
    )
    if not isinstance(rows, list | tuple):
        raise RuntimeError("the ratings are neither a mapping nor a list")  # noqa: TRY004 - the contract's exception
    table: dict[tuple[int, int], tuple[float, float, float]] = {}
    for row in rows:
        values = _row(row)
        if len(values) != 5 or type(values[0]) is not int or type(values[1]) is not int:
            raise RuntimeError("a rating is not a pair, two ratings and a ranking")
        if (values[0], values[1]) in table:
            raise RuntimeError("a pair is rated twice")
        if not all(map(_is_number, values[2:])):
            raise RuntimeError("a rating is not a finite number")
        table[values[0], values[1]] = (float(values[2]), float(values[3]), float(values[4]))
    return table


def _row(value: object) -> tuple[int | float, ...]:
    return tuple(value) if isinstance(value, list | tuple) else ()


def _check_bounds(scale: _Scale, one: float, other: float, ranking: float) -> None:
    if not (scale.low <= one <= scale.high and scale.low <= other <= scale.high):
        raise RuntimeError("a rating is out of bounds")
    if not scale.rank_low <= ranking <= scale.rank_high:
        raise RuntimeError("a ranking is out of bounds")
