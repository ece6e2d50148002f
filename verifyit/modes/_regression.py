"""Scores of predicted matrices by the share of the reference's variance that they explain."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from verifyit._finite import is_finite_number
from verifyit._shown import shown
from verifyit.reward import InvalidTask, Reward, scored

if TYPE_CHECKING:
    from collections.abc import Sequence

Matrix = list[list[float]]


def grade_regression_candidate(expected: object, candidate: object, *, variance_floor: float) -> Reward:
    """R squared, at least 0, over groups of rows; each output column counts the same.

    Args:
        expected: A list of groups, each a matrix: a list of rows of equal length.
        candidate: The predictions, in the same shape.
        variance_floor: A column of the reference that varies no more than this cannot be predicted.

    Raises:
        InvalidTask: The reference or the floor is unusable.
    """
    if not is_finite_number(variance_floor) or variance_floor < 0:
        raise InvalidTask(f"variance_floor must be finite and at least 0, not {shown(variance_floor)}")
    reference = _groups(expected)
    if not reference or len({len(group[0]) for group in reference}) != 1:
        raise InvalidTask("the reference must be a list of matrices of numbers with the same columns")
    predictions = _groups(candidate)
    if predictions is None or list(map(_shape, predictions)) != list(map(_shape, reference)):
        return scored(0.0, reason="invalid_predictions")
    actual = list(zip(*(row for group in reference for row in group), strict=True))
    guessed = list(zip(*(row for group in predictions for row in group), strict=True))
    variances = [_variance(column) for column in actual]
    if not all(math.isfinite(variance) for variance in variances):
        raise InvalidTask("the reference varies too much for a float")
    if any(variance <= variance_floor for variance in variances):
        return scored(0.0, reason="undefined_variance")
    return _explained(actual, guessed, variances)


def _explained(
    actual: Sequence[Sequence[float]], guessed: Sequence[Sequence[float]], variances: Sequence[float]
) -> Reward:
    squared = [
        _mean([(a - g) * (a - g) for a, g in zip(*pair, strict=True)]) for pair in _pairs(actual, guessed)
    ]
    absolute = [_mean([abs(a - g) for a, g in zip(*pair, strict=True)]) for pair in _pairs(actual, guessed)]
    nmse = _mean([error / variance for error, variance in zip(squared, variances, strict=True)])
    nmae = _mean([error / math.sqrt(variance) for error, variance in zip(absolute, variances, strict=True)])
    if not math.isfinite(nmse) or not math.isfinite(nmae):
        return scored(0.0, reason="invalid_predictions")
    return scored(max(0.0, 1.0 - nmse), nmse=nmse, nmae=nmae, r2=1.0 - nmse)


def _pairs(
    actual: Sequence[Sequence[float]], guessed: Sequence[Sequence[float]]
) -> list[tuple[Sequence[float], Sequence[float]]]:
    return list(zip(actual, guessed, strict=True))


def _mean(values: Sequence[float]) -> float:
    try:
        return math.fsum(values) / len(values)
    except OverflowError:
        return math.inf


def _variance(column: Sequence[float]) -> float:
    mean = _mean(column)
    return _mean([(value - mean) * (value - mean) for value in column])


def _shape(matrix: Matrix) -> tuple[int, int]:
    return len(matrix), len(matrix[0])


def _groups(value: object) -> list[Matrix] | None:
    """The groups as matrices of floats, or None if they are not that."""
    if not isinstance(value, list | tuple):
        return None
    groups = [_matrix(group) for group in value]
    return None if any(group is None for group in groups) else [group for group in groups if group]


def _matrix(value: object) -> Matrix | None:
    if not isinstance(value, list | tuple) or not value:
        return None
    if not all(isinstance(row, list | tuple) and row and len(row) == len(value[0]) for row in value):
        return None
    if not all(is_finite_number(item) for row in value for item in row):
        return None
    return [[float(item) for item in row] for row in value]
