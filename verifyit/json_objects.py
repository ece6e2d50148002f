"""Decoding of JSON in which every key of an object appears once."""

from __future__ import annotations

import json
import math
from typing import NoReturn

from verifyit._shown import shown


def unique_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object for the pairs of one JSON object: an ``object_pairs_hook``.

    Raises:
        ValueError: A key appears twice.
    """
    decoded: dict[str, object] = {}
    for key, value in pairs:
        if key in decoded:
            raise ValueError(f"duplicate key {shown(key)}")
        decoded[key] = value
    return decoded


def decode_unique(text: str, *, finite: bool = False) -> object:
    """The value of a JSON text without duplicate keys.

    Args:
        text: One JSON document.
        finite: Refuse NaN and the infinities, spelled out or by overflow.

    Raises:
        ValueError: The text is not JSON, has a duplicate key, or nests too deeply to be decoded.
    """
    try:
        if finite:
            return json.loads(
                text,
                object_pairs_hook=unique_object,
                parse_constant=_refuse_constant,
                parse_float=_finite_float,
            )
        return json.loads(text, object_pairs_hook=unique_object)
    except RecursionError:
        raise ValueError("the JSON nests too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is too large for a float")
    return value


def json_problem(value: object) -> str | None:
    """Why a value is not plain finite JSON, or None if it is.

    Types are matched by identity: a tuple, an int subclass or a key that is not a string would not
    survive a round trip. A container inside itself is refused.
    """
    pending: list[object] = [value]
    open_containers: set[int] = set()
    while pending:
        node = pending.pop()
        if type(node) is _Leave:
            open_containers.discard(node.container)
            continue
        if node is None or type(node) in (bool, int, str):
            continue
        if type(node) is float:
            if not math.isfinite(node):
                return "a number is not finite"
            continue
        if type(node) not in (dict, list):
            return f"{type(node).__name__} is not a JSON type"
        if id(node) in open_containers:
            return "a container holds itself"
        open_containers.add(id(node))
        pending.append(_Leave(id(node)))
        if isinstance(node, dict):
            if any(type(key) is not str for key in node):
                return "an object has a key that is not a string"
            pending.extend(node.values())
        else:
            assert isinstance(node, list)
            pending.extend(node)
    return None


class _Leave:
    """Marks the end of a container on the walk of json_problem."""

    def __init__(self, container: int) -> None:
        self.container = container
