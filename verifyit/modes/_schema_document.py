"""Documents in JSON, YAML and TOML, and their validation against a JSON Schema.

The slow and the explosive run in a worker process, as ``grade_text`` and ``grade_instance``: a YAML
document of nested aliases, a pattern of the schema that backtracks on the candidate's text. Nothing
here has a limit of its own.
"""

from __future__ import annotations

import datetime as dt
import functools
import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from verifyit._extras import import_extra
from verifyit.modes.extract import unwrap_fence
from verifyit.reward import InvalidTask
from verifyit.spec import SchemaFormat

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MAX_SHOWN_CHARACTERS = 400
# Keywords whose cost is not bounded by the sizes of the schema and the document.
_UNBOUNDED = frozenset(
    ("$ref", "$dynamicRef", "$recursiveRef", "pattern", "patternProperties", "uniqueItems")
)
_EXTRA = "schema"


def stringify_dates(node: Any) -> Any:
    """A copy of a document in which dates and times have become ISO text.

    Raises:
        RecursionError: The document nests too deeply, or holds itself.
    """
    return _Stringifier().convert(node)


class _Stringifier:
    """Converts each container once, however often aliases repeat it."""

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}

    def convert(self, node: Any) -> Any:
        if isinstance(node, dt.date | dt.time):
            return node.isoformat()
        if not isinstance(node, dict | list):
            return node
        if id(node) not in self._done:
            if isinstance(node, dict):
                self._done[id(node)] = {self.convert(key): self.convert(item) for key, item in node.items()}
            else:
                self._done[id(node)] = [self.convert(item) for item in node]
        return self._done[id(node)]


def has_nonfinite_number(node: Any) -> bool:
    """Whether a NaN or an infinity stands anywhere in a document."""
    pending, seen = [node], set()
    while pending:
        item = pending.pop()
        if isinstance(item, float) and not math.isfinite(item):
            return True
        if isinstance(item, dict | list | tuple | set) and id(item) not in seen:
            seen.add(id(item))
            pending.extend(item)
            if isinstance(item, dict):
                pending.extend(item.values())
    return False


def parse_candidate(text: str, candidate_format: SchemaFormat) -> Any:
    """The document in a candidate's text, its first fence unwrapped.

    Raises:
        ValueError: The text is not such a document, or nests too deeply.
        GradingInfraError: The schema extra is missing.
    """
    if candidate_format is SchemaFormat.JSON:
        return _parse_json(text)
    body = unwrap_fence(text)
    parse = _parse_yaml if candidate_format is SchemaFormat.YAML else tomllib.loads
    try:
        return stringify_dates(parse(body))
    except RecursionError:
        raise ValueError("the document nests too deeply") from None


def _parse_json(text: str) -> Any:
    try:
        # A fence inside a string of the document is not around the document.
        return json.loads(text)
    except RecursionError:
        raise ValueError("the document nests too deeply") from None
    except ValueError:
        body = unwrap_fence(text)
        if body == text:
            raise
    try:
        return json.loads(body)
    except RecursionError:
        raise ValueError("the document nests too deeply") from None


def _parse_yaml(text: str) -> Any:
    yaml = import_extra("yaml", _EXTRA)
    try:
        loader = yaml.SafeLoader(text)
        try:
            node = loader.get_single_node()
            document = None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except RecursionError:
        raise
    except Exception as error:
        # PyYAML lets more through than its own errors: of int(), of the calendar, of hashing.
        raise ValueError(f"{type(error).__name__}: {error}") from error
    if node is None:
        raise ValueError("the document is empty")
    return document


def parse_schema(text: str, name: str) -> dict[str, Any]:
    """The JSON Schema in a text, checked against the metaschema of its draft.

    Raises:
        InvalidTask: The text is not a JSON object of finite numbers, or not a usable schema.
        GradingInfraError: The schema extra is missing.
    """
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidTask(f"the schema {name} is not JSON: {error}") from None
    if not isinstance(schema, dict):
        raise InvalidTask(f"the schema {name} is not a JSON object")
    validator_for(schema, name)
    return schema


def validator_for(schema: dict[str, Any], name: str = "schema") -> Validator:
    """The validator for a schema that is checked in all its parts.

    References are resolved without any network: within the schema and to the known metaschemas.

    Raises:
        InvalidTask: The schema is unusable.
        GradingInfraError: The schema extra is missing.
    """
    jsonschema = import_extra("jsonschema", _EXTRA)
    specifications = import_extra("jsonschema_specifications", _EXTRA).REGISTRY
    if has_nonfinite_number(schema):
        raise InvalidTask(f"the schema {name} holds a number that is not finite")
    if not isinstance(schema.get("$schema", ""), str):
        raise InvalidTask(f"the $schema of {name} is not a text")
    validator_type = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        validator_type.check_schema(schema)
        _check_parts(schema, specifications)
    except RecursionError:
        raise InvalidTask(f"the schema {name} nests too deeply") from None
    except jsonschema.SchemaError as error:
        raise InvalidTask(f"the schema {name} is not valid: {error.message[:MAX_SHOWN_CHARACTERS]}") from None
    except Exception as error:
        # What the checkers themselves choke on is for the task's author to mend.
        raise InvalidTask(f"the schema {name} is not usable: {type(error).__name__}: {error}") from error
    validator: Validator = validator_type(schema, registry=specifications)
    return validator


def _check_parts(schema: dict[str, Any], specifications: Any) -> None:
    """Look up every reference and compile every pattern, so that no candidate is the first to do so."""
    referencing = import_extra("referencing", _EXTRA)
    dialects = import_extra("referencing.jsonschema", _EXTRA)
    dialect = dialects.specification_with(schema.get("$schema", ""), default=dialects.DRAFT202012)
    resource = referencing.Resource.from_contents(schema, default_specification=dialect)
    pending = [(resource, specifications.resolver_with_root(resource))]
    seen: set[int] = set()
    while pending:
        part, resolver = pending.pop()
        contents = part.contents
        if not isinstance(contents, Mapping) or id(contents) in seen:
            continue
        seen.add(id(contents))
        for keyword in ("$ref", "$dynamicRef"):
            if isinstance(contents.get(keyword), str):
                target = resolver.lookup(contents[keyword])
                pending.append(
                    (
                        referencing.Resource.from_contents(target.contents, default_specification=dialect),
                        target.resolver,
                    )
                )
        for pattern in _patterns(contents):
            re.compile(pattern)
        pending.extend((inner, resolver.in_subresource(inner)) for inner in part.subresources())


def _patterns(contents: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(contents.get("pattern"), str):
        yield contents["pattern"]
    if isinstance(contents.get("patternProperties"), Mapping):
        yield from contents["patternProperties"]


def is_bounded(schema: Any) -> bool:
    """Whether validation takes time in proportion to the sizes of schema and document.

    Any use of such a keyword's name counts, as a property's name too: the answer errs on the safe side.
    """
    pending = [schema]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            if not _UNBOUNDED.isdisjoint(item):
                return False
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
    return True


def check_instance(validator: Validator, instance: Any) -> dict[str, object]:
    """The outcome of validating a document: its reason, and the first violation if there is one."""
    if has_nonfinite_number(instance):
        return {"reason": "nonfinite_number"}
    first: tuple[list[tuple[bool, int, str]], str, str] | None = None
    errors = 0
    try:
        for error in validator.iter_errors(instance):
            errors += 1
            path = list(error.absolute_path)
            found = (
                [_path_order(part) for part in path],
                "/".join(map(str, path))[:MAX_SHOWN_CHARACTERS],
                str(error.message)[:MAX_SHOWN_CHARACTERS],
            )
            first = found if first is None or found[0] < first[0] else first
    except RecursionError:
        return {"reason": "candidate_nesting_limit"}
    except Exception as error:  # noqa: BLE001 - the schema is checked: what fails now, fails on this document
        return {"reason": "validation_error", "error": f"{type(error).__name__}: {_text_of(error)}"}
    if first is None:
        return {"reason": "valid"}
    return {"reason": "schema_violation", "errors": errors, "path": first[1], "error": first[2]}


def _path_order(part: object) -> tuple[bool, int, str]:
    return (False, part, "") if isinstance(part, int) else (True, 0, str(part))


def _text_of(error: Exception) -> str:
    return str(error)[:MAX_SHOWN_CHARACTERS]


@functools.lru_cache(maxsize=64)
def cached_validator(schema_text: str) -> Validator:
    """The validator for a schema as text; the same one when it is asked for again.

    Raises:
        InvalidTask: The schema is unusable.
        GradingInfraError: The schema extra is missing.
    """
    return validator_for(json.loads(schema_text))


def grade_text(schema_text: str, candidate_format: str, text: str) -> dict[str, object]:
    """The outcome of parsing and validating a candidate's text; runs in a worker."""
    validator = cached_validator(schema_text)
    try:
        instance = parse_candidate(text, SchemaFormat(candidate_format))
    except ValueError as error:
        return {"reason": "parse_error", "error": _text_of(error)}
    return check_instance(validator, instance)


def grade_instance(schema_text: str, instance: Any) -> dict[str, object]:
    """The outcome of validating a decoded document; runs in a worker."""
    return check_instance(cached_validator(schema_text), instance)
