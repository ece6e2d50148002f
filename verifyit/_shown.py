"""Values in error messages."""

from __future__ import annotations

import reprlib


def shown(value: object) -> str:
    """A short text for any value, however large or deep it is."""
    try:
        return reprlib.repr(value)
    except Exception:  # noqa: BLE001 - an int too long to be printed, or a foreign __repr__
        return f"a value of type {type(value).__name__}"
