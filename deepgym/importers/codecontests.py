"""CodeContests' records: programs on three groups of tests, with right and with wrong solutions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from deepgym.errors import RecordError
from deepgym.importers.apps import make_task
from deepgym.importers.cases import case_environment, stdio_cases, tolerance_told
from deepgym.importers.record import Options, python_answers, text_field
from deepgym.packing import Answer, PackedRecord

__all__ = ["import_record"]

_GROUPS = ("public_tests", "private_tests", "generated_tests")
# The source's numbers, and the words that other copies of it have.
_LANGUAGES = {0: "unknown", 1: "python2", 2: "cpp", 3: "python3", 4: "java"}
_PYTHON = "python3"
_SOURCES = {
    0: "unknown",
    1: "codechef",
    2: "codeforces",
    3: "hackerearth",
    4: "codejam",
    5: "atcoder",
    6: "aizu",
}


def import_record(record: Mapping[str, Any], options: Options) -> PackedRecord:
    """The environment of a record: `name`, `description`, the tests, `solutions`, `incorrect_solutions`.

    Raises:
        RecordError: A field is missing or malformed, or its programs read or write files.
    """
    for field in ("input_file", "output_file"):
        if record.get(field):
            raise RecordError(
                f"its programs use files ({field} is {record[field]!r}), not standard input and output"
            )
    description = text_field(record, "description")
    if not description.strip():
        raise RecordError("its description is empty")
    cases = [case for group in _GROUPS for case in _cases(record.get(group), group)]
    source = record.get("source")
    env = case_environment(
        "stdio",
        task=make_task(description, "", ""),
        cases=cases,
        settings={"compare": "tokens", "tolerance": options.tolerance or tolerance_told(description)},
        time_limit_s=_seconds(record.get("time_limit")),
        metadata={
            "dataset": "codecontests",
            "task_id": text_field(record, "name", default=""),
            "source": _SOURCES.get(source, str(source)) if isinstance(source, int) else source,
            "rating": record.get("cf_rating") or None,
        },
        difficulty=_difficulty(record.get("difficulty")),
        tags=("codecontests", *(tag for tag in record.get("cf_tags") or () if isinstance(tag, str) and tag)),
    )
    right, notes = _solutions(record, "solutions", "right")
    wrong, more_notes = _solutions(record, "incorrect_solutions", "wrong")
    reference = Answer("reference_solution.py", right[0].text) if right else None
    if reference is None:
        notes.append("it has no Python solution that could be its reference")
    return PackedRecord(env, reference, tuple(right[1:]), tuple(wrong), (*notes, *more_notes))


def _cases(group: object, name: str) -> list[dict[str, str]]:
    """A group's tests: two lists, or a list of pairs."""
    if group is None:
        return []
    if isinstance(group, dict):
        return stdio_cases(group.get("input"), group.get("output"))
    if isinstance(group, list) and all(isinstance(test, dict) for test in group):
        return stdio_cases([test.get("input") for test in group], [test.get("output") for test in group])
    raise RecordError(f"{name} is neither an object of lists nor a list of tests")


def _solutions(record: Mapping[str, Any], field: str, name: str) -> tuple[list[Answer], list[str]]:
    """The solutions in Python, and what was left out."""
    pairs = list(_pairs(record.get(field), field))
    answers, others = python_answers([text for language, text in pairs if language == _PYTHON], name)
    left = Counter(language for language, _ in pairs if language != _PYTHON)
    notes = [
        f"{count} of {field} are left out: they are in {language}" for language, count in sorted(left.items())
    ]
    if others:
        notes.append(f"{others} of {field} are left out: this version of Python cannot parse them")
    return answers, notes


def _pairs(value: object, field: str) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if isinstance(value, dict):
        languages, texts = value.get("language"), value.get("solution")
    elif isinstance(value, list) and all(isinstance(item, dict) for item in value):
        languages, texts = [item.get("language") for item in value], [item.get("solution") for item in value]
    else:
        raise RecordError(f"{field} is neither an object of lists nor a list of solutions")
    if not isinstance(languages, list) or not isinstance(texts, list) or len(languages) != len(texts):
        raise RecordError(f"{field} has no language for each solution")
    for language, text in zip(languages, texts, strict=True):
        if not isinstance(text, str):
            raise RecordError(f"{field} holds a solution that is no text")
        word = _LANGUAGES.get(language, "unknown") if isinstance(language, int) else str(language).lower()
        yield word, text


def _seconds(limit: object) -> float | None:
    if isinstance(limit, dict):
        seconds, nanos = limit.get("seconds") or 0, limit.get("nanos") or 0
        if isinstance(seconds, int | float) and isinstance(nanos, int | float):
            return float(seconds) + float(nanos) / 1e9
        return None
    return float(limit) if isinstance(limit, int | float) and not isinstance(limit, bool) else None


def _difficulty(value: object) -> str | None:
    """The source's number is a letter of a contest (A is 7), which says little alone."""
    if isinstance(value, str):
        return value.lower() or None
    names = {1: "easy", 2: "medium", 3: "hard", 4: "harder", 5: "hardest"}
    if isinstance(value, int):
        return names.get(value) or (chr(ord("a") + value - 7) if 7 <= value <= 28 else None)
    return None
