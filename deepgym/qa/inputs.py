"""Made-up inputs that look like the ones a verifier uses: small changes that keep what was true of all of those.

What the task promises about inputs (sorted, without doubles, of equal lengths, within bounds) is nowhere written down
for a program to read, so it is learnt: a fact that holds for every observed call is taken for a promise.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator, Sequence
from typing import Any

from deepgym.qa.observation import Objects

__all__ = ["make_up_arguments", "make_up_objects"]

# Tries for one made-up input that is wanted; promises may leave few that hold.
_TRIES = 8
# Facts are worked out item by item; beyond this an input is too large to be an example anyway.
_MAX_ITEMS = 60
_INNER_FACTS = (
    "filled", "no doubles", "sorted", "sorted down", "rectangular", "square", "different firsts", "parts < own len",
    "islower", "isupper", "isdigit", "isalpha", "isprintable", "stripped",
)  # fmt: skip


def make_up_arguments(
    observed: Sequence[str], count: int, *, stay_within: bool = True, seed: int = 0
) -> list[str]:
    """New arguments for one function, as Python literals.

    Args:
        observed: The tuples of arguments that were seen, as literals.
        count: How many to make, at most.
        stay_within: What was seen is drawn from all that the task allows, so that every fact and bound of it counts.
            Without, only the form of inputs is kept: a few fixed ones leave out what they should not.
        seed: What they depend on.
    """
    values = [
        value for text in observed if type(value := ast.literal_eval(text)) is tuple and _is_small(value)
    ]
    if not values:
        return []
    rng = random.Random(seed)  # noqa: S311 -- a repeatable choice
    promises = set.intersection(*(set(_facts(value)) for value in values))
    bounds = _bounds(values)
    if not stay_within:
        if len(values) < _FEW:
            promises = {fact for fact in promises if fact[0] not in _ACCIDENTS}
        bounds = {path: _widened(path, *bound) for path, bound in bounds.items()}
    known = set(observed)
    made: list[str] = []
    for _ in range(count * _TRIES):
        if len(made) == count:
            break
        candidate = _changed(copy.deepcopy(rng.choice(values)), values, rng)
        text = repr(candidate)
        if text in known or not promises <= set(_facts(candidate)) or not _within(candidate, bounds):
            continue
        known.add(text)
        made.append(text)
    return made


def make_up_objects(observed: Sequence[Objects], count: int, *, seed: int = 0) -> list[Objects]:
    """New sequences of calls: seen ones with calls left out, doubled, exchanged, or with the arguments of others."""
    rng = random.Random(seed)  # noqa: S311
    whole = [item for item in observed if item.calls]
    if not whole:
        return []
    arguments: dict[str, list[str]] = {}
    for item in whole:
        for name, args in item.calls:
            arguments.setdefault(name, []).append(args)
    made = []
    for _ in range(count):
        item = rng.choice(whole)
        calls = list(item.calls)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(calls))
            how = rng.randrange(4)
            if how == 0 and len(calls) > 1:
                del calls[at]
            elif how == 1:
                calls.insert(at, calls[at])
            elif how == 2 and at:
                calls[at - 1], calls[at] = calls[at], calls[at - 1]
            else:
                calls[at] = (calls[at][0], rng.choice(arguments[calls[at][0]]))
        made.append(Objects(rng.choice(whole).name, item.args, tuple(calls)))
    return made


def _is_small(value: Any) -> bool:
    return _size(value) <= _MAX_ITEMS


def _size(value: Any) -> int:
    if isinstance(value, list | tuple | set | frozenset):
        return 1 + sum(map(_size, value))
    if isinstance(value, dict):
        return 1 + sum(_size(key) + _size(item) for key, item in value.items())
    return 1 + len(value) // 8 if isinstance(value, str | bytes) else 1


def _facts(args: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """What is true of arguments and could be a promise."""
    yield ("count", len(args))
    for at, value in enumerate(args):
        yield from _facts_of(value, (at,))
        for other, right in enumerate(args):
            if other != at:
                yield from _relations(at, value, other, right)


def _relations(at: int, value: Any, other: int, right: Any) -> Iterator[tuple[Any, ...]]:
    sized = isinstance(right, list | tuple | str | dict)
    if isinstance(value, int) and isinstance(right, int):
        if value <= right:
            yield ("<=", at, other)
        if value < right:
            yield ("<", at, other)
    if isinstance(value, int) and sized:
        if value < len(right):
            yield ("< len", at, other)
        if value <= len(right):
            yield ("<= len", at, other)
    if isinstance(value, list | tuple | str) and sized:
        if len(value) == len(right):
            yield ("len ==", at, other)
        if len(value) <= len(right):
            yield ("len <=", at, other)
    if isinstance(right, list | tuple | dict | set) and _hashable(value) and value in right:
        yield ("in", at, other)
    parts = _scalars(value)
    if (
        parts
        and isinstance(right, list | tuple | dict | set)
        and all(_hashable(part) and part in right for part in parts)
    ):
        yield ("parts in", at, other)
    if parts and all(type(part) is int for part in parts):
        if isinstance(right, int) and all(part < right for part in parts):
            yield ("parts <", at, other)
        if sized and all(part < len(right) for part in parts):
            yield ("parts < len", at, other)


def _scalars(value: Any) -> list[Any]:
    if isinstance(value, list | tuple | set | frozenset):
        return [part for item in value for part in _scalars(item)]
    return [value]


def _facts_of(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    yield ("type", path, type(value).__name__)
    if isinstance(value, str):
        yield from (
            (name, path)
            for name in ("islower", "isupper", "isdigit", "isalpha", "isprintable")
            if getattr(value, name)()
        )
        if value == value.strip():
            yield ("stripped", path)
        if value:
            yield ("filled", path)
    elif isinstance(value, list | tuple):
        yield from _facts_of_items(value, path)
    elif isinstance(value, dict | set | frozenset) and value:
        yield ("filled", path)


def _facts_of_items(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if value:
        yield ("filled", path)
    texts = list(map(repr, value))
    if len(set(texts)) == len(texts):
        yield ("no doubles", path)
    try:
        if list(value) == sorted(value):
            yield ("sorted", path)
        if list(value) == sorted(value, reverse=True):
            yield ("sorted down", path)
    except TypeError:
        pass
    inner = [item for item in value if isinstance(item, list | tuple | str)]
    if len(inner) == len(value):
        if len({len(item) for item in value}) <= 1:
            yield ("rectangular", path)
        if len(value) == 0 or all(len(item) == len(value) for item in value):
            yield ("square", path)
        firsts = [repr(item[0]) for item in value if len(item)]
        if len(set(firsts)) == len(firsts):
            yield ("different firsts", path)
    if isinstance(value, list) and all(type(part) is int and part < len(value) for part in _scalars(value)):
        yield ("parts < own len", path)
    common: set[tuple[Any, ...]] | None = None
    for item in value:
        facts = set(_facts_of(item, (*path, "*")))
        common = facts if common is None else common & facts
    # Without items, everything is true of all of them.
    yield from common if common is not None else _every_inner_fact(path)


def _every_inner_fact(path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    inner = (*path, "*")
    for name in ("int", "float", "str", "list", "tuple", "bool", "dict", "NoneType"):
        yield ("type", inner, name)
    for name in _INNER_FACTS:
        yield (name, inner)
    if len(path) < 3:
        yield from _every_inner_fact(inner)


# Relations that fewer inputs than these may have without meaning to.
_FEW = 6
_ACCIDENTS = {"<=", "<", "parts <", "len <=", "sorted", "sorted down"}

Bounds = dict[tuple[Any, ...], tuple[Any, Any]]


def _bounds(values: Sequence[Any]) -> Bounds:
    """The least and the largest of each number and length, and the letters of each text."""
    bounds: Bounds = {}
    for value in values:
        for path, number in _measures(value, ()):
            least, largest = bounds.get(path, (number, number))
            bounds[path] = (min(least, number), max(largest, number))
    return bounds


def _widened(path: tuple[Any, ...], least: Any, largest: Any) -> tuple[Any, Any]:
    if path[-1] == "letter" or (len(path) > 1 and path[-2] == "letter"):
        return least, largest
    room = max(2, largest - least)
    # What is never negative, or never 0, seems to be so by promise.
    floor = 1 if least >= 1 else 0 if least >= 0 else least - room
    return floor if path[-1] == "number" else max(0, least - 2), largest + room


def _measures(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, int | float) and value == value:  # noqa: PLR0124 -- NaN has no place in an order
        yield (*path, "number"), value
    elif isinstance(value, str):
        yield (*path, "length"), len(value)
        for char in value:
            yield (*path, "letter", char), 0
    elif isinstance(value, tuple | list):
        yield (*path, "length"), len(value)
        for at, item in enumerate(value):
            # Arguments have their places, and so have the parts of short tuples and pairs; items of lists are alike.
            place = at if not path or (len(value) <= 3 and len(path) > 1) else "*"
            yield from _measures(item, (*path, place))


def _within(value: Any, bounds: Bounds) -> bool:
    for path, number in _measures(value, ()):
        if path not in bounds:
            return False
        least, largest = bounds[path]
        if not least <= number <= largest:
            return False
    return True


def _changed(value: Any, values: Sequence[Any], rng: random.Random) -> Any:
    args = list(value)
    for _ in range(rng.randint(1, 2)):
        if not args:
            break
        at = rng.randrange(len(args))
        other = rng.choice(values)
        donor = other[at] if at < len(other) else args[at]
        args[at] = donor if rng.random() < 0.15 else _changed_value(args[at], donor, rng)
    return tuple(args)


def _changed_value(value: Any, donor: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice([-2, -1, 1, 2])
    if isinstance(value, float):
        return value + rng.choice([-1.0, -0.5, 0.5, 1.0])
    if isinstance(value, str):
        return "".join(
            _changed_items(list(value), list(donor) if isinstance(donor, str) else [], rng, deep=False)
        )
    if isinstance(value, list | tuple):
        donors = list(donor) if isinstance(donor, list | tuple) else []
        return type(value)(_changed_items(list(value), donors, rng, deep=True))
    return value


def _changed_items(items: list[Any], donors: list[Any], rng: random.Random, *, deep: bool) -> list[Any]:
    how = rng.randrange(7 if deep else 5)
    at = rng.randrange(len(items)) if items else 0
    if how == 0 and items:
        del items[at]
    elif how == 1 and items:
        items.insert(at, copy.deepcopy(items[at]))
    elif how == 2 and len(items) > 1:
        other = rng.randrange(len(items))
        items[at], items[other] = items[other], items[at]
    elif how == 3 and donors:
        items.insert(at, copy.deepcopy(rng.choice(donors)))
    elif how == 4 and donors and items:
        items[at] = copy.deepcopy(rng.choice(donors))
    elif items and deep:
        items[at] = _changed_value(items[at], rng.choice(donors) if donors else items[at], rng)
    return items


def _hashable(value: Any) -> bool:
    return isinstance(value, int | float | str | bytes | bool | type(None))
