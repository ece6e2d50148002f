"""Whether a result is the reference's: EvalPlus' rules, with types."""

import math

RTOL = 1e-7


def has_floats(value):
    if isinstance(value, (list, tuple)):
        return bool(value) and all(has_floats(item) for item in value)
    return isinstance(value, float)


def same(got, expected, atol):
    """Whether two values are equal: types included, but that an int may stand for a float; floats have some room."""
    if isinstance(expected, (list, tuple)):
        kind = list if isinstance(expected, list) else tuple
        if type(got) is not kind or len(got) != len(expected):
            return False
        return all(same(item, right, atol) for item, right in zip(got, expected, strict=True))
    if isinstance(expected, dict):
        if type(got) is not dict or len(got) != len(expected):
            return False
        return all(key in got and same(got[key], right, atol) for key, right in expected.items())
    if isinstance(expected, (set, frozenset)):
        return type(got) in (set, frozenset) and got == expected
    if isinstance(expected, (int, float, complex)) and not isinstance(expected, bool):
        return type(got) in (int, float, complex) and close(got, expected, atol)
    return type(got) is type(expected) and got == expected


def close(got, expected, atol):
    if got == expected or (got != got and expected != expected):  # noqa: PLR0124 - both are no number at all
        return True
    if atol == 0 or not (isinstance(got, float) or isinstance(expected, float)):
        return False
    try:
        difference = abs(got - expected)
    except OverflowError:
        return False
    return math.isfinite(difference) and difference <= atol + RTOL * abs(expected)
