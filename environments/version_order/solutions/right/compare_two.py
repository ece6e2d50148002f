from functools import cmp_to_key
from itertools import zip_longest


def older(a, b):
    (a_numbers, _, a_parts), (b_numbers, _, b_parts) = (v.split("+")[0].partition("-") for v in (a, b))
    for x, y in zip(a_numbers.split("."), b_numbers.split(".")):
        if int(x) != int(y):
            return int(x) - int(y)
    if not a_parts or not b_parts:
        return (not a_parts) - (not b_parts)
    for x, y in zip_longest(a_parts.split("."), b_parts.split(".")):
        if x is None or y is None:
            return -1 if x is None else 1
        if x.isdigit() and y.isdigit():
            if int(x) != int(y):
                return int(x) - int(y)
        elif x.isdigit() != y.isdigit():
            return -1 if x.isdigit() else 1
        elif x != y:
            return -1 if x < y else 1
    return 0


def version_order(versions):
    return sorted(versions, key=cmp_to_key(older))
