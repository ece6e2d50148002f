"""Specs to and from plain tables and TOML text; published as ``verifyit.spec``.

A table holds JSON-like values. A TOML text holds the same, except that values TOML cannot express
(null, the difference between 1 and 1.0 inside a value) travel as JSON strings: the ``expected`` of
structured_exact and answer-key and the ``arguments`` of predicted_action.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum, StrEnum
from functools import cache
from typing import Any, cast, get_type_hints

from verifyit._mode_table import MODES, mode_of
from verifyit._shown import shown
from verifyit._spec_types import (
    AnswerKeySpec,
    Constraint,
    FunctionCall,
    Mode,
    PredictedActionSpec,
    Spec,
    StructuredExactSpec,
)
from verifyit.json_objects import decode_unique, json_problem


def spec_from_table(table: dict[str, Any]) -> Spec:
    """The spec that a table declares.

    Raises:
        ValueError: ``mode`` is missing or unknown, a key is unknown, a field is missing, or a value
            does not have the declared type.
    """
    if "mode" not in table:
        raise ValueError("no mode")
    try:
        mode = Mode(table["mode"])
    except ValueError:
        raise ValueError(f"unknown mode {shown(table['mode'])}") from None
    spec_type = MODES[mode]
    declared = {entry.name: entry for entry in fields(spec_type)}
    given = {key: value for key, value in table.items() if key != "mode"}
    unknown = sorted(str(key) for key in given if key not in declared)
    if unknown:
        raise ValueError(f"{mode.value} does not know: {', '.join(unknown)}")
    missing = [name for name, entry in declared.items() if name not in given and _is_required(entry)]
    if missing:
        raise ValueError(f"{mode.value} needs: {', '.join(missing)}")
    hints = _declared_types(mode)
    values = {name: _coerce(name, hints[name], value) for name, value in given.items()}
    return cast("Spec", spec_type(**values))


def _is_required(entry: Field[Any]) -> bool:
    return entry.default is MISSING and entry.default_factory is MISSING


@cache
def _declared_types(mode: Mode) -> dict[str, Any]:
    return get_type_hints(MODES[mode])


def _coerce(name: str, declared: Any, value: object) -> object:
    if isinstance(declared, type) and issubclass(declared, StrEnum):
        return _enum_member(name, declared, value)
    coercer = _COERCERS.get(declared)
    # What has no coercer is checked by the mode that uses it: optional strings, label tables and
    # the JSON value of structured_exact.
    return value if coercer is None else coercer(name, value)


def _enum_member(name: str, declared: type[StrEnum], value: object) -> StrEnum:
    if isinstance(value, str):
        for member in declared:
            if member.value == value:
                return member
    raise ValueError(f"{name} must be one of {', '.join(declared)}, not {shown(value)}")


def _string(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a string, not {shown(value)}")
    return value


def _strings(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple):
        raise ValueError(f"{name} must be a string or a list of strings, not {shown(value)}")
    return tuple(_string(f"{name}[{index}]", item) for index, item in enumerate(value))


def _boolean(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, not {shown(value)}")
    return value


def _integer(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{name} must be an integer, not {shown(value)}")
    return value


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} must be a number, not {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for a float") from None


def _optional_number(name: str, value: object) -> float | None:
    return None if value is None else _number(name, value)


def _function_calls(name: str, value: object) -> tuple[FunctionCall, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{name} must be a list of calls, not {shown(value)}")
    calls = []
    for index, item in enumerate(value):
        if not isinstance(item, Mapping) or item.keys() != {"name", "arguments"}:
            raise ValueError(f"{name}[{index}] must be a table of exactly name and arguments")
        calls.append(FunctionCall(name=item["name"], arguments=item["arguments"]))
    return tuple(calls)


def _constraints(name: str, value: object) -> tuple[Constraint, ...]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise ValueError(f"{name} must be a list of tables, not {shown(value)}")
    constraints = []
    for index, item in enumerate(value):
        if not isinstance(item, Mapping) or "name" not in item:
            raise ValueError(f"{name}[{index}] must be a table with a name")
        params = item.get("params", {})
        if not isinstance(params, Mapping):
            raise ValueError(f"{name}[{index}].params must be a table, not {shown(params)}")
        constraints.append(Constraint(_string(f"{name}[{index}].name", item["name"]), dict(params)))
    return tuple(constraints)


_COERCERS: dict[Any, Any] = {
    str: _string,
    tuple[str, ...]: _strings,
    bool: _boolean,
    int: _integer,
    float: _number,
    float | None: _optional_number,
    tuple[FunctionCall, ...]: _function_calls,
    tuple[Constraint, ...]: _constraints,
}


def parse_spec(text: str) -> Spec:
    """The spec that a TOML text declares.

    Raises:
        ValueError: The text is not TOML, or does not declare a spec.
    """
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise ValueError("the TOML nests too deeply") from None
    if table.get("mode") == Mode.PREDICTED_ACTION:
        _decode_arguments(table.get("expected_calls"))
    elif table.get("mode") == Mode.STRUCTURED_EXACT and "expected" in table:
        if not isinstance(table["expected"], str):
            raise ValueError("expected must be a string that holds JSON")
        table["expected"] = decode_unique(table["expected"])
    elif table.get("mode") == Mode.ANSWER_KEY and isinstance(table.get("expected"), str):
        table["expected"] = decode_unique(table["expected"])
    return spec_from_table(table)


def _decode_arguments(calls: object) -> None:
    if not isinstance(calls, list):
        return
    for call in calls:
        if isinstance(call, dict) and isinstance(call.get("arguments"), str):
            call["arguments"] = decode_unique(call["arguments"])


def spec_to_table(spec: Spec) -> dict[str, Any]:
    """The table that declares a spec: the mode, then every field, defaults spelled out.

    Raises:
        ValueError: The value is not a spec of any mode.
    """
    table: dict[str, Any] = {"mode": mode_of(spec).value}
    for entry in fields(spec):
        value = getattr(spec, entry.name)
        if value is None and entry.default is None:
            continue
        table[entry.name] = _plain(value)
    return table


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {entry.name: _plain(getattr(value, entry.name)) for entry in fields(value)}
    return value


def render_spec(spec: Spec) -> str:
    """The TOML text that declares a spec; parse_spec gives the same spec back.

    Raises:
        ValueError: The spec holds a value that neither TOML nor JSON can express: a number that is
            not finite in a JSON value, a null or a foreign type in a table.
    """
    import tomli_w  # noqa: PLC0415 - only rendering needs it, and importing verifyit must stay cheap

    table = spec_to_table(spec)
    if isinstance(spec, StructuredExactSpec | AnswerKeySpec):
        table["expected"] = _encode("expected", spec.expected)
    elif isinstance(spec, PredictedActionSpec):
        for call, entry in zip(spec.expected_calls, table["expected_calls"], strict=True):
            entry["arguments"] = _encode("arguments", call.arguments)
    try:
        return tomli_w.dumps(table)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"the spec cannot be written as TOML: {error}") from None


def _encode(name: str, value: object) -> str:
    problem = json_problem(value)
    if problem is not None:
        raise ValueError(f"{name} cannot be written as JSON: {problem}")
    try:
        return json.dumps(value, allow_nan=False)
    except RecursionError:
        raise ValueError(f"{name} nests too deeply to be written as JSON") from None
