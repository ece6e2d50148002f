"""Where a text that may have been cut off stands inside the structure it began.

Each function reads a text once, from the left, and says whether the structure is finished, can still be
finished, or is broken, and with which suffix it would be finished as it stands. Offsets count code
points. Nothing here decodes a value or recurses: a text of any depth is read in linear time.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

_JSON_SPACE: Final = " \t\n\r"
_FENCE_BLANKS: Final = " \t\r"
_LITERALS: Final = {"t": "true", "f": "false", "n": "null"}
_ESCAPES: Final = frozenset('"\\/bfnrt')
_PLAIN_TEXT: Final = re.compile(r'[^"\\\x00-\x1f]+')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_NUMBER_BEGUN: Final = re.compile(r"(?:-|-?(?:0|[1-9][0-9]*)(?:\.|(?:\.[0-9]+)?[eE][+-]?))\Z")
_HEX: Final = re.compile(r"[0-9a-fA-F]{0,4}")
_FENCE_OPENER: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_FENCE_BEGUN: Final = re.compile(r" {0,3}(?:`{0,2}|~{0,2})\Z")


class PrefixStatus(StrEnum):
    """Whether a structure is finished, can still be, or never will be."""

    COMPLETE = "complete"
    EXTENDABLE = "extendable"
    INVALID = "invalid"


@dataclass(frozen=True)
class ClosureState:
    """Where a text stands.

    Attributes:
        status: Whether the structure is finished.
        open_structures: What is still open, outermost first: ``object``, ``array``, ``string``,
            ``delimited``, ``marked``, ``fence``.
        closing_suffix: Text that finishes the structure without adding content; empty when it is
            finished, None when there is no such text.
        error_offset: The first character that no continuation can mend.
        reason: What is wrong there.
        completion_offset: Where the finished structure ends. Stays set when other content follows it,
            although the state is then invalid.
        completion_guard: What must follow the end so that nothing written after it can reopen the
            structure.
    """

    status: PrefixStatus
    open_structures: tuple[str, ...]
    closing_suffix: str | None
    error_offset: int | None = None
    reason: str | None = None
    completion_offset: int | None = None
    completion_guard: str = ""


def json_closure_state(prefix: str) -> ClosureState:
    """Where a strict JSON text stands: one value between whitespace, without duplicate keys.

    >>> json_closure_state('{"a": ["x').closing_suffix
    '"]}'
    """
    reader = _JsonReader(prefix, 0)
    state = reader.read()
    if state is not None:
        return state
    return _complete(prefix, reader.offset, _JSON_SPACE)


def delimited_json_closure_state(prefix: str, *, opener: str, closer: str) -> ClosureState:
    """Where a text stands that is one JSON value between two markers; markers inside strings are content.

    Raises:
        ValueError: A marker is empty, or both are the same.
    """
    _check_markers(opener, closer)
    begun = _opener_state(prefix, opener)
    if begun is not None:
        return begun
    reader = _JsonReader(prefix, len(opener))
    state = reader.read()
    if state is not None:
        suffix = state.closing_suffix
        return replace(
            state,
            open_structures=("delimited", *state.open_structures),
            closing_suffix=None if suffix is None else suffix + closer,
        )
    offset = reader.offset
    while True:
        if prefix.startswith(closer, offset):
            return _complete(prefix, offset + len(closer), None)
        rest = len(prefix) - offset
        if rest < len(closer) and closer.startswith(prefix[offset:]):
            suffix = None if reader.number_at_end else closer[rest:]
            return ClosureState(PrefixStatus.EXTENDABLE, ("delimited",), suffix)
        if prefix[offset] not in _JSON_SPACE:
            return _invalid(offset, "the closing marker must follow the value", ("delimited",))
        offset += 1


def paired_marker_closure_state(prefix: str, *, opener: str, closer: str) -> ClosureState:
    """Where a text stands that is anything at all between two markers.

    Raises:
        ValueError: A marker is empty, or both are the same.
    """
    _check_markers(opener, closer)
    begun = _opener_state(prefix, opener)
    if begun is not None:
        return begun
    end = prefix.find(closer, len(opener))
    again = prefix.find(opener, len(opener), None if end < 0 else end + len(opener))
    # At one place the longer marker is the one that is written there.
    if again >= 0 and (end < 0 or again < end or (again == end and len(opener) > len(closer))):
        return _invalid(again, "a second opening marker before the closing one", ("marked",))
    if end >= 0:
        return _complete(prefix, end + len(closer), None)
    body = len(prefix) - len(opener)
    written = next(
        (size for size in range(min(len(closer) - 1, body), 0, -1) if prefix.endswith(closer[:size])), 0
    )
    return ClosureState(PrefixStatus.EXTENDABLE, ("marked",), closer[written:])


def required_code_fence_state(prefix: str) -> ClosureState:
    """Where a text stands that is one fenced code block and nothing else."""
    opening = _FENCE_OPENER.match(prefix)
    if opening is None:
        if _FENCE_BEGUN.match(prefix):
            return ClosureState(PrefixStatus.EXTENDABLE, ("fence",) if prefix.strip() else (), None)
        return _invalid(_fence_error(prefix), "a fence of three or more backticks or tildes must come first")
    fence = opening.group(1)
    head_end = prefix.find("\n", opening.end())
    tick = prefix.find("`", opening.end(), None if head_end < 0 else head_end)
    if fence[0] == "`" and tick >= 0:
        return _invalid(tick, "a backtick in the info text of a backtick fence", ("fence",))
    if head_end < 0:
        return ClosureState(PrefixStatus.EXTENDABLE, ("fence",), f"\n{fence}")
    start = head_end + 1
    while True:
        line_end = prefix.find("\n", start)
        line = prefix[start:] if line_end < 0 else prefix[start:line_end]
        run = _closing_run(line, fence[0])
        if run is not None and len(run.lstrip(" ")) >= len(fence):
            guard = "\n" if line_end < 0 else ""
            return replace(_complete(prefix, start + len(run), None), completion_guard=guard)
        if line_end < 0:
            written = run is not None and len(line) == len(run)
            suffix = fence[len(line.lstrip(" ")) :] if written else f"\n{fence}"
            return ClosureState(PrefixStatus.EXTENDABLE, ("fence",), suffix)
        start = line_end + 1


def _closing_run(line: str, mark: str) -> str | None:
    """The indent and marks of a line that holds at most a fence, else None."""
    run = line.rstrip(_FENCE_BLANKS)
    marks = run.lstrip(" ")
    if marks.strip(mark) or len(run) - len(marks) > 3:
        return None
    # A line of blanks alone is a closer not yet begun, as long as its indent allows one.
    return run if marks else (line if len(line) <= 3 and not line.strip(" ") else None)


def _fence_error(prefix: str) -> int:
    indent = min(len(prefix) - len(prefix.lstrip(" ")), 3)
    mark = prefix[indent : indent + 1]
    if mark not in ("`", "~"):
        return indent
    rest = prefix[indent:]
    return indent + len(rest) - len(rest.lstrip(mark))


def _check_markers(opener: str, closer: str) -> None:
    if not opener or not closer:
        raise ValueError("markers must not be empty")
    if opener == closer:
        raise ValueError("the opening and the closing marker must differ")


def _opener_state(prefix: str, opener: str) -> ClosureState | None:
    """The state of a text that does not have its whole opening marker, else None."""
    if prefix.startswith(opener):
        return None
    if opener.startswith(prefix):
        return ClosureState(PrefixStatus.EXTENDABLE, (), None)
    offset = next(index for index, mark in enumerate(opener) if prefix[index : index + 1] != mark)
    return _invalid(offset, "the opening marker must come first")


def _complete(text: str, end: int, blanks: str | None) -> ClosureState:
    """The state of a structure finished at ``end``, given what follows it."""
    rest = text[end:]
    trailing = rest.lstrip(blanks)
    if not trailing:
        return ClosureState(PrefixStatus.COMPLETE, (), "", completion_offset=end)
    offset = len(text) - len(trailing)
    return replace(_invalid(offset, "content after the finished structure"), completion_offset=end)


def _invalid(offset: int, reason: str, open_structures: tuple[str, ...] = ()) -> ClosureState:
    return ClosureState(PrefixStatus.INVALID, open_structures, None, offset, reason)


class _BrokenError(Exception):
    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason


class _JsonReader:
    """Reads one JSON value; the containers that are open are on a stack of its own.

    ``want`` is what may come next: ``value``, ``first`` (a value or the end of an array), ``key``,
    ``first key`` (a key or the end of an object), ``colon``, ``after`` (a comma or the end).
    """

    def __init__(self, text: str, offset: int) -> None:
        self.text = text
        self.offset = offset
        self.want = "value"
        self.stack: list[tuple[str, set[str]]] = []
        self.inside: str | None = None
        self.number_at_end = False

    def read(self) -> ClosureState | None:
        """Read to the end of the value; a state if the text ends or breaks before it, else None."""
        try:
            finished = self._read()
        except _BrokenError as broken:
            return _invalid(broken.offset, broken.reason, self._open())
        if finished:
            return None
        return ClosureState(PrefixStatus.EXTENDABLE, self._open(), self._suffix())

    def _open(self) -> tuple[str, ...]:
        names = tuple("object" if closer == "}" else "array" for closer, _keys in self.stack)
        return (*names, "string") if self.inside in ("text", "key", "escape") else names

    def _suffix(self) -> str | None:
        closers = "".join(closer for closer, _keys in reversed(self.stack))
        if self.inside == "text":
            return f'"{closers}'
        if self.inside is None and self.want in ("after", "first", "first key"):
            return closers
        return None

    def _read(self) -> bool:
        text, size = self.text, len(self.text)
        while True:
            while self.offset < size and text[self.offset] in _JSON_SPACE:
                self.offset += 1
            if self.offset == size:
                return False
            self._step(text[self.offset])
            if self.inside is not None:
                return False
            if self.want == "after" and not self.stack:
                return True

    def _step(self, mark: str) -> None:
        if self.want in ("key", "first key") and mark == '"':
            self._key()
        elif self.want == "colon" and mark == ":":
            self.offset += 1
            self.want = "value"
        elif self.want == "after" and mark == ",":
            self.offset += 1
            self.want = "key" if self.stack[-1][0] == "}" else "value"
        elif self.want in ("after", "first", "first key") and mark == self.stack[-1][0]:
            self.stack.pop()
            self.offset += 1
            self.want = "after"
        elif self.want in ("value", "first"):
            self._value(mark)
        else:
            raise _BrokenError(self.offset, f"expected {_WANTED[self.want]}")

    def _value(self, mark: str) -> None:
        if mark in "{[":
            self.stack.append(("}" if mark == "{" else "]", set()))
            self.offset += 1
            self.want = "first key" if mark == "{" else "first"
        elif mark == '"':
            self._string("text")
            self.want = "after"
        elif mark in _LITERALS:
            self._literal(_LITERALS[mark])
        elif mark in "-0123456789":
            self._number()
        else:
            raise _BrokenError(self.offset, "expected a value")

    def _key(self) -> None:
        start = self.offset
        self._string("key")
        if self.inside is not None:
            return
        key = json.loads(self.text[start : self.offset])
        keys = self.stack[-1][1]
        if key in keys:
            raise _BrokenError(self.offset - 1, "a key that the object already has")
        keys.add(key)
        self.want = "colon"

    def _string(self, kind: str) -> None:
        """Read a string from its opening quote; ``inside`` stays set if the text ends in it."""
        text, size = self.text, len(self.text)
        self.inside = kind
        self.offset += 1
        while self.offset < size:
            plain = _PLAIN_TEXT.match(text, self.offset)
            if plain is not None:
                self.offset = plain.end()
                continue
            mark = text[self.offset]
            if mark == '"':
                self.offset += 1
                self.inside = None
                return
            if mark != "\\":
                raise _BrokenError(self.offset, "a control character in a string")
            if self._escape():
                self.inside = "escape"
                return

    def _escape(self) -> bool:
        """Read an escape from its backslash; True if the text ends in it."""
        text, start = self.text, self.offset + 1
        if start == len(text):
            return True
        if text[start] in _ESCAPES:
            self.offset = start + 1
            return False
        if text[start] != "u":
            raise _BrokenError(start, "an unknown escape in a string")
        digits = _HEX.match(text, start + 1)
        assert digits is not None
        if len(digits.group()) == 4:
            self.offset = digits.end()
            return False
        if digits.end() == len(text):
            return True
        raise _BrokenError(digits.end(), "an escape that is not four hex digits")

    def _literal(self, word: str) -> None:
        rest = self.text[self.offset : self.offset + len(word)]
        if rest != word and word.startswith(rest):
            self.inside = "literal"
            return
        for index, mark in enumerate(word):
            if rest[index] != mark:
                raise _BrokenError(self.offset + index, f"expected {word}")
        self._end_scalar(self.offset + len(word))

    def _number(self) -> None:
        if _NUMBER_BEGUN.match(self.text, self.offset):
            self.inside = "number"
            return
        number = _NUMBER.match(self.text, self.offset)
        if number is None:
            raise _BrokenError(self.offset + 1, "expected a digit")
        end = number.end()
        if end == len(self.text) and self.stack:
            # More digits may follow, so a container cannot be closed here.
            self.inside = "number"
            return
        self.number_at_end = end == len(self.text)
        self._end_scalar(end)

    def _end_scalar(self, end: int) -> None:
        following = self.text[end : end + 1]
        if following.isalnum() or following in ("+", "-", ".", "_"):
            raise _BrokenError(end, "a word or number that does not end here")
        self.offset = end
        self.want = "after"


_WANTED: Final = {
    "key": "a key",
    "first key": "a key or the end of the object",
    "colon": "a colon",
    "after": "a comma or the end of the container",
}
