"""The verdicts in what a script printed, among messages and whatever text of the solution it echoed.

An echo can imitate a verdict, and it can spoil one: text without a line's end stands before the verdict on the same
line, and a verdict that is printed over several lines has no line of its own. So that an echo can only lose, a verdict
is found in each of these forms, and the lowest of all counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from deepgym._judge.verdict import VerdictError, parse_json, read_verdict

__all__ = ["read_printed"]

# One is usual; an answer that is echoed may hold any number, and each costs time to read.
MAX_PRINTED = 1_000
# What a verdict's line may hold; ten thousand cases have a tenth of it. Each takes memory of whoever reads it.
MAX_VALUES = 1_000_000
# A verdict is read a few times at most. An echo that is made to be read again and again ends here.
MAX_READ_CHARS = 64 * 1024 * 1024
# What it costs to find that nothing can be read.
_LEAST_READ_CHARS = 64

_MARKS = ('"score"', '"passed"', '"cases"')
_KEYS = ("score", "passed", "cases")
# Where an object may begin, outside of a string and mostly inside of one too; and where one that is printed over
# several lines does.
_OPENING = re.compile(r'\{\s*["}]')
_OPENING_LINE = re.compile(r"\{\s*\n")
_decode = json.JSONDecoder().raw_decode


class _Found(NamedTuple):
    """An object with a verdict's keys.

    Attributes:
        text: The object.
        is_whole: Nothing else stands on its lines.
        is_complete: It has a score and says whether that has passed.
    """

    text: str
    is_whole: bool
    is_complete: bool


def read_printed(stdout: str) -> list[dict[str, object]]:
    """The normal forms of the verdicts in a script's output, in order.

    A verdict is a JSON object with a `score`, `passed` or `cases`, on a line or lines of its own. Where other text
    stands before it on its line, it counts when it has a score and `passed`, or when no verdict comes after it. All
    else is a message and is passed over.

    Raises:
        VerdictError: Something is meant as a verdict and is none, e.g. for a duplicate key or a score of NaN,
            or there are more than anyone would print.
    """
    found = list(islice(_Search(stdout).objects(), MAX_PRINTED + 1))
    if len(found) > MAX_PRINTED:
        raise VerdictError(f"the verifier printed more than {MAX_PRINTED} verdicts: print one")
    last = max((at for at, each in enumerate(found) if each.is_whole), default=-1)
    counted = [each for at, each in enumerate(found) if each.is_whole or each.is_complete or at > last]
    return [read_verdict(parse_json(each.text)) for each in counted]


class _Search:
    """One pass over an output."""

    def __init__(self, stdout: str) -> None:
        self._stdout = stdout
        self._left_chars = MAX_READ_CHARS
        self._last_end = 0

    def objects(self) -> Iterator[_Found]:
        position = block = 0
        for line in self._stdout.split("\n"):
            start, position = position, position + len(line) + 1
            text = line.rstrip()
            if not text.endswith("}"):
                continue
            end = start + len(text)
            # Printed with an indent, it is closed by a brace at the beginning of a line.
            is_closing = text == "}"
            found = self._ends_at(block, end, _OPENING_LINE) if is_closing else self._ends_at(start, end)
            if is_closing or found is not None:
                block = end
            if found is not None:
                self._last_end = end
                yield found
        # Laid out by hand, it is found where it is the last thing printed.
        end = len(self._stdout.rstrip())
        if self._last_end < end and self._stdout[end - 1] == "}":
            found = self._ends_at(self._last_end, end)
            if found is not None:
                yield found

    def _ends_at(self, start: int, end: int, opening: re.Pattern[str] = _OPENING) -> _Found | None:
        """The object that ends here and has a verdict's keys, if it begins at start or later."""
        if all(self._stdout.find(mark, start, end) < 0 for mark in _MARKS):
            return None  # most lines are messages, and a printed answer can have millions
        if sum(self._stdout.count(sign, start, end) for sign in ",[{") > MAX_VALUES:
            raise VerdictError("the verifier printed an object that is too large for a verdict")
        text = self._stdout[start:end]
        places = [match.start() for match in opening.finditer(text)]
        # Mostly it begins where the text does. Else from the right: the first that ends here is what was printed
        # last, whatever stands before it.
        for at in (*places[:1], *reversed(places[1:])):
            value, stop = self._object_at(text, at)
            if stop == len(text):
                return self._found(value, start + at, end)
        return None

    def _object_at(self, text: str, at: int) -> tuple[dict[str, object], int]:
        """The object that begins here, and where it ends; nowhere when there is none."""
        value: dict[str, object] = {}
        stop = -1
        try:
            value, stop = _decode(text, at)
            read_chars = stop - at
        except json.JSONDecodeError as error:
            read_chars = error.pos  # it counts lines from the beginning
        except (ValueError, RecursionError):
            # Passed over, it would leave the last word to an echo.
            raise VerdictError("the verifier printed a number too long, or nested too deeply") from None
        self._left_chars -= read_chars + _LEAST_READ_CHARS
        if self._left_chars < 0:
            raise VerdictError("the verifier printed more that looks like a verdict than can be read")
        return value, stop

    def _found(self, value: dict[str, object], at: int, end: int) -> _Found | None:
        if value.keys().isdisjoint(_KEYS):
            return None
        before = self._stdout[self._stdout.rfind("\n", 0, at) + 1 : at]
        return _Found(self._stdout[at:end], not before.strip(), "score" in value and "passed" in value)
