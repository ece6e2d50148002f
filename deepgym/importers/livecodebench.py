"""LiveCodeBench's records: public and private tests, programs and methods of a class Solution."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from deepgym.errors import RecordError
from deepgym.importers.apps import input_output_environment, make_task, parse_lines
from deepgym.importers.cases import case_environment, stdio_cases
from deepgym.importers.record import Options, difficulty_of, json_field, text_field
from deepgym.importers.unpickling import read_private_tests
from deepgym.packing import PackedRecord

__all__ = ["import_record"]

# The source's own limit for a case.
TIME_LIMIT_S = 6.0


def import_record(record: Mapping[str, Any], options: Options) -> PackedRecord:
    """The environment of a record, as published or in the form for evaluation (`input_output`).

    Raises:
        RecordError: A field is missing or malformed, or the private tests hold more than plain data.
    """
    title, question = text_field(record, "question_title", default=""), text_field(record, "question_content")
    metadata = {
        "dataset": "livecodebench",
        "task_id": str(record.get("question_id", "")),
        "title": title,
        "source": str(record.get("platform") or ""),
        "contest_date": str(record.get("contest_date") or ""),
    }
    if "private_test_cases" not in record and "input_output" in record:
        plain = {**record, "question": question}
        return PackedRecord(
            _with_compare(
                input_output_environment(
                    plain, options, dataset="livecodebench", metadata=metadata, time_limit_s=TIME_LIMIT_S
                )
            )
        )
    tests = [*_tests(record, "public_test_cases"), *_tests(record, "private_test_cases")]
    kinds = {str(test.get("testtype", "stdin")) for test in tests}
    if len(kinds) > 1 or not kinds <= {"stdin", "functional"}:
        raise RecordError(
            f"its tests are of the types {', '.join(sorted(kinds))}: one of stdin, functional is known"
        )
    inputs, outputs = [test.get("input") for test in tests], [test.get("output") for test in tests]
    function = _function(record) if kinds == {"functional"} else ""
    return PackedRecord(
        case_environment(
            "function" if function else "stdio",
            task=make_task(question, text_field(record, "starter_code", default=""), function),
            cases=_function_cases(inputs, outputs) if function else stdio_cases(inputs, outputs),
            settings={"tolerance": options.tolerance}
            | ({"function": function} if function else {"compare": "decimals"}),
            time_limit_s=TIME_LIMIT_S,
            metadata={**metadata, "entry_point": function},
            difficulty=difficulty_of(record.get("difficulty")),
            tags=("livecodebench",),
        )
    )


def _with_compare(env: Any) -> Any:
    """The environment with outputs compared as this source does: numbers by value."""
    settings = json.loads(env.support_files["settings.json"])
    if "compare" in settings:
        settings["compare"] = "decimals"
    text = json.dumps(settings, indent=1, sort_keys=True) + "\n"
    return env.model_copy(update={"support_files": {**env.support_files, "settings.json": text}})


def _tests(record: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = record.get(name)
    try:
        tests = read_private_tests(value) if isinstance(value, str) and value.strip() else value or []
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{name} cannot be read: {error}") from None
    if not isinstance(tests, list) or not all(isinstance(test, dict) for test in tests):
        raise RecordError(f"{name} is no list of tests")
    return tests


def _function(record: Mapping[str, Any]) -> str:
    metadata = json_field(record, "metadata", {})
    function = metadata.get("func_name") if isinstance(metadata, dict) else None
    if not isinstance(function, str) or not function.isidentifier():
        raise RecordError("its metadata names no func_name, and its tests call a function")
    return function


def _function_cases(inputs: list[Any], outputs: list[Any]) -> list[dict[str, Any]]:
    """Cases of a function: one JSON value a line is an argument, the output is one JSON value."""
    if not all(isinstance(text, str) for text in (*inputs, *outputs)):
        raise RecordError("an input or output of its tests is no text")
    try:
        expected = [json.loads(text) for text in outputs]
    except (ValueError, RecursionError) as error:
        raise RecordError(f"an output is no JSON ({error})") from None
    return [
        {"arguments": parse_lines(given), "expected": [value]}
        for given, value in zip(inputs, expected, strict=True)
    ]
