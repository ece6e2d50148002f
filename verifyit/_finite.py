"""Numbers that a float can hold."""

from __future__ import annotations

import math


def is_finite_number(value: object) -> bool:
    """Whether a value is an int or a float, not a bool, that a finite float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
