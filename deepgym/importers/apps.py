"""APPS' records, and what TACO's have in common with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from deepgym.errors import RecordError
from deepgym.importers.cases import case_environment, function_cases, stdio_cases, tolerance_told
from deepgym.importers.record import (
    Options,
    difficulty_of,
    json_field,
    python_answers,
    text_field,
    texts_field,
)
from deepgym.models import Environment
from deepgym.packing import Answer, PackedRecord

__all__ = ["import_record", "input_output_environment", "pack_solutions", "parse_lines"]

_STDIO_HINT = "Write a program that reads from standard input and writes to standard output."


def import_record(record: Mapping[str, Any], options: Options) -> PackedRecord:
    """The environment of a record: `question`, `input_output`, `solutions`, `starter_code`, `difficulty`, `url`.

    Raises:
        RecordError: A field is missing or malformed.
    """
    env = input_output_environment(
        record,
        options,
        dataset="apps",
        metadata={
            "task_id": str(record.get("problem_id", record.get("id", ""))),
            "source": record.get("url"),
        },
    )
    return pack_solutions(env, json_field(record, "solutions", []))


def input_output_environment(
    record: Mapping[str, Any],
    options: Options,
    *,
    dataset: str,
    metadata: Mapping[str, Any],
    time_limit_s: float | None = None,
    tags: Sequence[str] = (),
) -> Environment:
    """The environment of a record whose tests are in `input_output`: {inputs, outputs, fn_name?}.

    Raises:
        RecordError: A field is missing or malformed.
    """
    question = text_field(record, "question")
    tests = json_field(record, "input_output")
    if not isinstance(tests, dict):
        raise RecordError("input_output is no JSON object")
    function = tests.get("fn_name")
    inputs, outputs = tests.get("inputs"), tests.get("outputs")
    settings: dict[str, Any] = {"tolerance": options.tolerance or tolerance_told(question)}
    if function:
        parsed = [parse_lines(each) if isinstance(each, str) else each for each in _list(inputs)]
        cases = function_cases(parsed, outputs)
        settings["function"] = str(function)
    else:
        cases = stdio_cases(inputs, outputs)
        settings["compare"] = "lines"
    return case_environment(
        "function" if function else "stdio",
        task=make_task(question, text_field(record, "starter_code", default=""), str(function or "")),
        cases=cases,
        settings=settings,
        time_limit_s=time_limit_s,
        metadata={"dataset": dataset, "entry_point": function, **metadata},
        difficulty=difficulty_of(record.get("difficulty")),
        tags=(dataset, *tags),
    )


def make_task(question: str, starter_code: str, function: str) -> str:
    """The prompt: the question, what an answer is, and where it begins."""
    if function:
        hint = (
            f"Write the function `{function}`, as a method of a class `Solution` if the code below begins so."
        )
        hint = hint if starter_code.strip() else f"Write the function `{function}`."
    else:
        hint = _STDIO_HINT
    parts = [question.strip(), hint]
    if starter_code.strip():
        parts.append(f"```python\n{starter_code.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def parse_lines(text: str) -> list[Any]:
    """The arguments of a call that are written as one JSON value a line.

    Raises:
        RecordError: A line is no JSON.
    """
    try:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise RecordError(f"an input is not one JSON value a line ({error})") from None


def pack_solutions(env: Environment, solutions: object) -> PackedRecord:
    """The record of an environment and its source's right solutions, of which the first is the reference.

    Raises:
        RecordError: The solutions are no list of text.
    """
    answers, others = python_answers(texts_field(solutions, "solutions"), "solution")
    notes = [f"{others} solutions are left out: this version of Python cannot parse them"] if others else []
    if not answers:
        notes.append("it has no solution that could be its reference")
    reference = Answer("reference_solution.py", answers[0].text) if answers else None
    return PackedRecord(env, reference=reference, right=tuple(answers[1:]), notes=tuple(notes))


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise RecordError("its inputs and outputs are no lists")
    return value
