"""The json-schema mode: a JSON, YAML or TOML document that satisfies a JSON Schema.

Documents that are cheap to read, against schemas that are cheap to apply, are graded here. The rest
runs in a worker process with a limit on its CPU time, and a document that exhausts it is wrong.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path, PurePosixPath
from typing import Any

from verifyit._answer import empty_output_policy, read_answer
from verifyit._bounded import BoundedCallError, call_in_worker
from verifyit._shown import shown
from verifyit.file_ops.read import read_text
from verifyit.modes._schema_document import (
    cached_validator,
    check_instance,
    has_nonfinite_number,
    is_bounded,
    parse_candidate,
    parse_schema,
    stringify_dates,
)
from verifyit.reward import InvalidTask, Reward, scored
from verifyit.spec import JsonSchemaSpec, SchemaFormat

__all__ = [
    "check_schema_resource",
    "grade",
    "grade_json_document",
    "grade_json_resource_candidate",
    "grade_json_schema_candidate",
    "has_nonfinite_number",
    "load_schema",
    "parse_candidate",
    "parse_schema",
    "stringify_dates",
    "validate_json_schema",
]

CPU_LIMIT_S = 5.0
_WORKER_MODULE = "verifyit.modes._schema_document"


def validate_json_schema(spec: JsonSchemaSpec) -> None:
    """Check that the spec can be graded by in process; the schema itself is read later.

    Raises:
        InvalidTask: The schema's path is not relative and below the task's folder, or the format is
            unknown.
    """
    _validate_options(spec)
    path = PurePosixPath(spec.schema)
    if not spec.schema or path.is_absolute() or ".." in path.parts:
        raise InvalidTask(f"schema must be a relative path without '..', not {shown(spec.schema)}")


def _validate_options(spec: JsonSchemaSpec) -> None:
    empty_output_policy(spec)
    if not isinstance(spec.schema, str):
        raise InvalidTask(f"schema must be a path, not {shown(spec.schema)}")
    if not isinstance(spec.format, SchemaFormat):
        raise InvalidTask(f"format must be a SchemaFormat, not {shown(spec.format)}")


def load_schema(path: Path) -> dict[str, Any]:
    """The schema in a file.

    Raises:
        InvalidTask: The file cannot be read, or does not hold a usable schema.
        GradingInfraError: The schema extra is missing.
    """
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        raise InvalidTask(f"the schema {path.name} cannot be read: {error}") from None
    return parse_schema(text, path.name)


def check_schema_resource(spec: JsonSchemaSpec, schema_data: bytes) -> None:
    """Check that a resource holds a usable schema.

    Raises:
        InvalidTask: It does not.
        GradingInfraError: The schema extra is missing.
    """
    _schema_from_bytes(spec.schema, schema_data)


@functools.lru_cache(maxsize=64)
def _schema_from_bytes(name: str, data: bytes) -> dict[str, Any]:
    try:
        text = bytes(data).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidTask(f"the schema {name} is not UTF-8: {error}") from None
    return parse_schema(text, name)


def grade_json_schema_candidate(schema: dict[str, Any], instance: Any) -> Reward:
    """Whether a decoded document satisfies a schema.

    Raises:
        InvalidTask: The schema is unusable.
        GradingInfraError: The schema extra is missing, or no worker could be started.
    """
    schema_text = _schema_text(schema)
    validator = cached_validator(schema_text)
    if is_bounded(schema) or not _travels(instance):
        # What JSON cannot carry to a worker is compared here, by its Python types.
        return _verdict(check_instance(validator, instance))
    return _verdict(_bounded("grade_instance", {"schema_text": schema_text, "instance": instance}))


def _schema_text(schema: dict[str, Any]) -> str:
    try:
        return json.dumps(schema)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidTask(f"the schema is not JSON: {error}") from None


def _travels(instance: Any) -> bool:
    try:
        json.dumps(instance, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def grade_json_document(schema: dict[str, Any], candidate_format: SchemaFormat, text: str) -> Reward:
    """Whether a text is a document that satisfies a schema.

    Raises:
        InvalidTask: The schema is unusable.
        GradingInfraError: The schema extra is missing, or no worker could be started.
    """
    schema_text = _schema_text(schema)
    validator = cached_validator(schema_text)
    if candidate_format is SchemaFormat.JSON and is_bounded(schema):
        try:
            instance = parse_candidate(text, candidate_format)
        except ValueError as error:
            return scored(0.0, reason="parse_error", error=str(error))
        return _verdict(check_instance(validator, instance))
    arguments = {
        "schema_text": schema_text,
        "candidate_format": candidate_format.value,
        "text": text,
    }
    return _verdict(_bounded("grade_text", arguments))


def _bounded(function: str, arguments: dict[str, Any]) -> dict[str, object]:
    try:
        outcome: dict[str, object] = call_in_worker(
            _WORKER_MODULE, function, arguments, cpu_limit_s=CPU_LIMIT_S
        )
    except BoundedCallError as error:
        return {"reason": error.reason, "error": str(error)}
    return outcome


def _verdict(outcome: dict[str, object]) -> Reward:
    return scored(float(outcome["reason"] == "valid"), **outcome)


def grade_json_resource_candidate(spec: JsonSchemaSpec, text: str, schema_data: bytes) -> Reward:
    """Whether a text is a document that satisfies the schema in a resource.

    Raises:
        InvalidTask: The spec or the schema is unusable.
        GradingInfraError: The schema extra is missing, or no worker could be started.
    """
    validate_json_schema(spec)
    return grade_json_document(_schema_from_bytes(spec.schema, schema_data), spec.format, text)


def grade(spec: JsonSchemaSpec, tests_dir: Path, workspace: Path) -> Reward:
    """Grade the document in the answer file by the schema beside the spec.

    Raises:
        InvalidTask: The spec or the schema is unusable.
        GradingInfraError: The schema extra is missing, or no worker could be started.
    """
    _validate_options(spec)
    schema = load_schema(tests_dir / spec.schema)
    answer = read_answer(spec, workspace)
    return answer if isinstance(answer, Reward) else grade_json_document(schema, spec.format, answer)
