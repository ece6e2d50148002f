"""Environments whose answers are programs or functions that are run on cases: what most published records are."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from deepgym.errors import RecordError
from deepgym.models import Environment

__all__ = [
    "Compare",
    "case_environment",
    "function_cases",
    "read_verifier",
    "stdio_cases",
    "tolerance_told",
]

Compare = Literal["tokens", "lines", "decimals"]

# One run is given its cases as one value, which may have 64 MiB.
MAX_CASES_BYTES = 60 * 1024 * 1024
# Sources state limits for compiled programs, or for their own machines.
TIME_FACTOR = 3.0
MIN_CASE_TIMEOUT_S = 4.0
MAX_CASE_TIMEOUT_S = 60.0
MAX_TIMEOUT_S = 900.0

# "absolute or relative error ... 10^-6", in the spellings that published statements have.
_ERROR_TOLD = re.compile(
    r"(?:absolute|relative)[^.\n]{0,100}?error(?P<rest>.{0,160})", re.IGNORECASE | re.DOTALL
)
_POWER = re.compile(
    r"(?<![0-9.])(?:10\s{0,3}(?:\^|\*\*)?\s{0,3}[{(]?\s{0,3}[-−–]\s{0,3}|1e-)(?P<power>[0-9]{1,2})"
)


def read_verifier(name: str) -> str:
    """The source of a verifier, or of a module put beside it."""
    return (Path(__file__).parent / "verifiers" / name).read_text("utf-8")


def case_environment(
    kind: Literal["stdio", "function"],
    *,
    task: str,
    cases: Sequence[Mapping[str, Any]],
    settings: Mapping[str, Any],
    time_limit_s: float | None,
    metadata: Mapping[str, Any],
    difficulty: str | None,
    tags: Sequence[str],
) -> Environment:
    """The environment of a record with cases.

    Args:
        kind: What an answer is: a program, or a function.
        task: The prompt.
        cases: The cases, as the verifier of this kind reads them.
        settings: What else it reads.
        time_limit_s: Seconds that the source gives a case.
        metadata: What else is known of the record.
        difficulty: A word.
        tags: Words to select by.

    Raises:
        RecordError: There are no cases, or more than a run can be given.
    """
    if not cases:
        raise RecordError("it has no tests: every answer would be right")
    size = len(json.dumps(cases))
    if size > MAX_CASES_BYTES:
        raise RecordError(f"its tests have {size:,} bytes, more than the {MAX_CASES_BYTES:,} of one run")
    limit = max(MIN_CASE_TIMEOUT_S, TIME_FACTOR * (time_limit_s or 0.0))
    case_timeout = min(limit, MAX_CASE_TIMEOUT_S)
    return Environment(
        task=task,
        verifier_code=read_verifier(f"{kind}.py"),
        verifier_mode="verify_function",
        support_files={
            "comparison.py": read_verifier("comparison.py"),
            "settings.json": json.dumps(dict(settings), indent=1, sort_keys=True) + "\n",
        },
        test_cases=list(cases),
        # Room for a few cases that hang, and for all the others at an honest pace.
        timeout=min(MAX_TIMEOUT_S, 30.0 + 4 * case_timeout + len(cases) * case_timeout / 4),
        case_timeout=case_timeout,
        difficulty=difficulty,
        tags=tuple(dict.fromkeys(tags)),
        metadata={
            key: value for key, value in {"type": kind, **metadata}.items() if value not in (None, "", [])
        },
    )


def stdio_cases(inputs: object, outputs: object) -> list[dict[str, str]]:
    """Cases of text from two lists of one length; a list of lines stands for its text.

    Raises:
        RecordError: They are no such lists.
    """
    pairs = _pairs(inputs, outputs)
    return [
        {"input": _as_text(given, "an input"), "output": _as_text(right, "an output")}
        for given, right in pairs
    ]


def function_cases(inputs: object, outputs: object) -> list[dict[str, Any]]:
    """Cases of a function from lists of arguments and of results.

    A result that stands alone in a list may be meant as itself or as that list, as the source has both forms.

    Raises:
        RecordError: They are no such lists.
    """
    cases = []
    for arguments, result in _pairs(inputs, outputs):
        if not isinstance(arguments, list):
            raise RecordError("the inputs of a function are no lists of arguments")
        expected = [result[0], result] if isinstance(result, list) and len(result) == 1 else [result]
        cases.append({"arguments": arguments, "expected": expected})
    return cases


def tolerance_told(statement: str) -> float | None:
    """The room for numbers that a statement gives, such as "absolute or relative error of 10^-6"; else `None`."""
    told = []
    for match in _ERROR_TOLD.finditer(statement):
        power = _POWER.search(match["rest"])
        if power is not None and 1 <= int(power["power"]) <= 15:
            told.append(math.pow(10, -int(power["power"])))
    return max(told, default=None)


def _pairs(inputs: object, outputs: object) -> list[tuple[Any, Any]]:
    if not isinstance(inputs, list) or not isinstance(outputs, list):
        raise RecordError("its inputs and outputs are no lists")
    if len(inputs) != len(outputs):
        raise RecordError(f"it has {len(inputs)} inputs and {len(outputs)} outputs")
    return list(zip(inputs, outputs, strict=True))


def _as_text(value: object, what: str) -> str:
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value) + "\n"
    if not isinstance(value, str):
        raise RecordError(f"{what} is of type {type(value).__name__}, not text")
    return value
