"""Rows of a database as one text that is the same for the same set of rows."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import TypeAlias

SQLiteValue: TypeAlias = "int | float | str | bytes | None"


def prepare_sqlite_row_set(rows: tuple[tuple[SQLiteValue, ...], ...]) -> str:
    """The canonical text of a set of rows: their order and repeats do not show.

    Numbers are written by exact value, so that 1 and 1.0 are the same; texts, blobs and nulls stay apart.

    Raises:
        ValueError: A value is not finite, or of a type that a database does not give.
    """
    encoded = {json.dumps([_encode(value) for value in row]) for row in rows}
    return json.dumps(sorted(encoded))


def _encode(value: object) -> list[str] | None:
    if value is None:
        return None
    if type(value) is str:
        return ["text", value]
    if type(value) is bytes:
        return ["blob", value.hex()]
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        exact = Fraction(value)
        # In hexadecimal: the decimal text of a long integer takes quadratic time.
        return ["number", f"{exact.numerator:x}/{exact.denominator:x}"]
    raise ValueError(f"not a finite value of a database: {type(value).__name__}")
