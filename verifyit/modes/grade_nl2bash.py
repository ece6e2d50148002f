"""Compare what a shell command printed with what the reference command printed. Not a mode."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

# Control sequences of terminals: colours, cursor moves, titles. Every part is bounded.
_ANSI: Final = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)|[@-Z\\^_])"
)
_BREAKS: Final = re.compile(r"[\n\0]")
_PLACE: Final = re.compile(r"(?<!\S)(?:/workspace/|\./)")
_UNIT: Final = re.compile(r"\s(?:bytes?|kB|KiB|MB|MiB|GB|GiB)\Z")
_ERROR: Final = re.compile(
    r"\b(?:error|failed|failure|no such file|not found|permission denied|traceback)\b", re.IGNORECASE
)


def score_capture(actual: str, expected: str) -> tuple[int, list[str]]:
    """Whether an output holds every record of the expected one, and what is wrong if not.

    Records are lines. Colours, the folder that paths start with, units at the end and the width of
    spaces do not count, nor does the order. Records beyond the expected ones are fine, unless one
    looks like an error. Where nothing is expected, nothing may be there.
    """
    got, wanted = _records(actual), _records(expected)
    if not wanted:
        return (0, ["output where none is expected"]) if got else (1, [])
    messages = [f"missing: {record}" for record in (wanted - got).elements()]
    messages += [f"looks like an error: {record}" for record in got - wanted if _ERROR.search(record)]
    return int(not messages), messages


def _records(text: str) -> Counter[str]:
    lines = (_record(line) for line in _BREAKS.split(_ANSI.sub("", text)))
    return Counter(line for line in lines if line)


def _record(line: str) -> str:
    stripped = _PLACE.sub("", line.strip())
    # A unit word needs one blank before it, so that the pattern looks at the end alone.
    return _UNIT.sub("", " ".join(stripped.split()))
