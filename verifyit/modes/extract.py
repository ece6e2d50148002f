"""Finding the answer inside a text: boxes, last lines, fences, headings.

Every function takes time linear in the text, whatever the text is.
"""

from __future__ import annotations

import re

_BOX = "\\boxed{"
_BRACE = re.compile(r"[{}]")
_FENCE = "```"
# Bounded: an info word is short, and an unbounded one could be re-read at every later position.
_FENCE_WORD = re.compile(r"[A-Za-z0-9_+-]*")
_HEADING = re.compile(r"#{1,6}(?=\s|$)")
_WRAPPERS = (("\\[", "\\]"), ("\\(", "\\)"), ("$$", "$$"), ("$", "$"))
_EMPHASIS = ("**", "__", "*", "_", "`")


def extract_boxed(text: str) -> str | None:
    r"""The stripped content of the last ``\boxed{...}``, or None if there is none that closes."""
    start = text.rfind(_BOX)
    if start < 0:
        return None
    start += len(_BOX)
    depth = 1
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return text[start : brace.start()].strip()
    return None


def last_line(text: str) -> str | None:
    """The last line that is not blank, stripped, or None if all are blank."""
    for line in reversed(text.splitlines()):
        stripped = line.strip()
        if stripped:
            return stripped
    return None


def collapse_whitespace(text: str) -> str:
    """The text with every run of whitespace turned into one space, and none at its ends."""
    return " ".join(text.split())


def strip_math_delimiters(text: str) -> str:
    r"""The text without the ``$``, ``$$``, ``\(...\)`` or ``\[...\]`` that wrap all of it, however many."""
    dollars = text.count("$")
    start, end = 0, len(text)
    while True:
        start, end = _strip_span(text, start, end)
        for opener, closer in _WRAPPERS:
            wraps = (
                end - start > len(opener) + len(closer)
                and text.startswith(opener, start, end)
                and text.endswith(closer, start, end)
            )
            if wraps and (opener[0] != "$" or dollars == len(opener) + len(closer)):
                start, end = start + len(opener), end - len(closer)
                dollars -= (len(opener) + len(closer)) * (opener[0] == "$")
                break
        else:
            return text[start:end]


def _strip_span(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def unwrap_fence(text: str) -> str:
    """The body of the first block fenced by three backticks, or the whole text if there is none.

    A language word after the opening fence, and the whitespace that follows it, are not part of it.
    """
    opening = text.find(_FENCE)
    if opening < 0:
        return text
    start = opening + len(_FENCE)
    closing = text.find(_FENCE, start)
    if closing < 0:
        return text
    word = _FENCE_WORD.match(text, start, closing)
    body = text[word.end() if word else start : closing]
    return body.lstrip()


def extract_markdown_answer(text: str) -> str | None:
    """What stands below the last heading that says just "answer", or None if nothing does.

    The section ends at the next heading, a line of three dashes or a fence. One layer of emphasis
    around it is removed.
    """
    lines = text.splitlines()
    section: list[str] | None = None
    for index in range(len(lines) - 1, -1, -1):
        if _is_answer_heading(lines[index]):
            section = lines[index + 1 :]
            break
    if section is None:
        return None
    kept: list[str] = []
    for line in section:
        stripped = line.strip()
        if _HEADING.match(stripped) or stripped == "---" or stripped.startswith(_FENCE):
            break
        kept.append(line)
    return _without_emphasis("\n".join(kept).strip()) or None


def _is_answer_heading(line: str) -> bool:
    stripped = line.strip()
    heading = _HEADING.match(stripped)
    return heading is not None and stripped[heading.end() :].strip().casefold() == "answer"


def _without_emphasis(text: str) -> str:
    for mark in _EMPHASIS:
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            return text[len(mark) : -len(mark)].strip()
    return text
