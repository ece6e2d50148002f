"""The code in a model's answer: reasoning taken off, one fenced block chosen, the rest left as it is.

The rules, in order:

1. Text that is Python as a whole, or that has neither fence nor reasoning, is the code as it stands.
2. Reasoning ends at the last closing tag (`</think>` and its kin) that begins or ends a line; a tag that
opens a
   line and is never closed hides all that follows it. A tag between quotes is code and does not count.
3. Fences are those of CommonMark: three or more backticks or tildes, closed by at least as many of the same;
a
   fence that is never closed reaches to the end. A fence line inside a Python string does not end the block.
4. Blocks marked as Python come before unmarked ones, these before other languages, and these before `text`,
   `output` and the like.
5. Of several, the last that defines `entry_point` is taken, else the last that defines a function or a class,
   else the last.
6. Text without a fence is the code.
"""

from __future__ import annotations

import ast
import re
import threading
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["extract_code"]

_PYTHON = frozenset(
    {"python", "py", "python3", "py3", "python2", "cpython", "pypy", "pypy3", "ipython", "sage"}
)
_NOT_CODE = frozenset(
    {"text", "txt", "plaintext", "plain", "output", "console", "stdout", "log", "pycon", "none"}
)
_DOCUMENT = frozenset({"markdown", "md"})

_REASONING = r"(?:think|thinking|thought|thoughts|reasoning|scratchpad)"
_REASONING_END = re.compile(
    rf"(?:^[ \t]*</{_REASONING}>|(?<![\"'`\\])</{_REASONING}>(?=[ \t]*\r?$))", re.IGNORECASE | re.MULTILINE
)
_REASONING_START = re.compile(rf"^[ \t]*<{_REASONING}>(?![\"'`])", re.IGNORECASE | re.MULTILINE)

_FENCE_OR_TAG = re.compile(rf"`{{3}}|~{{3}}|</?{_REASONING}>", re.IGNORECASE)

# Indentation, list marks and quote marks may stand before a fence.
_OPENING = re.compile(
    r"(?P<lead>[ \t>]*(?:[-*+] +|\d{1,3}[.)] +)?)(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$"
)
# Models also write `Answer: ```python`; the language word tells it from inline code.
_OPENING_IN_LINE = re.compile(
    r".*?[^`\n](?P<fence>`{3,})[ \t]*(?P<info>(?:python|py)3?)[ \t]*$", re.IGNORECASE
)
_CLOSING = re.compile(r"(?P<lead>[ \t]*)(?:> ?)?(?P<fence>`{3,}|~{3,})[ \t]*$")
_WORD = re.compile(r"[\s{.]*([A-Za-z0-9+#_-]*)")

# A fence line inside a string is looked past this often; hostile text with many fences is not parsed for
# ever.
MAX_CLOSINGS_TRIED = 16
# Longer answers are taken apart by their fences alone: parsing them would cost seconds.
MAX_PARSED_CHARS = 400_000
# A document inside a document is one too many already.
MAX_DOCUMENT_DEPTH = 2

# Python's warning filters belong to the whole process; only one thread at a time may set them aside.
_WARNINGS_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True)
class _Block:
    language: str
    text: str

    @property
    def rank(self) -> int:
        if self.language in _PYTHON:
            return 0
        if self.language in _NOT_CODE:
            return 3
        return 2 if self.language else 1


def extract_code(text: str, *, entry_point: str | None = None) -> str:
    """The code in a model's answer; an answer without fences is returned as it is.

    Args:
        text: The answer, prose and reasoning included.
        entry_point: A name that the code should define; it decides between several blocks.
    """
    if _FENCE_OR_TAG.search(text) is None or (_parse(text) is not None):
        # A module whose docstrings hold fences is one that parses: prose around a fence never does.
        return text
    answer = _without_reasoning(text)
    blocks = [block for block in _find_blocks(answer) if block.text.strip()]
    if not blocks:
        return answer
    best = min(block.rank for block in blocks)
    return _choose([block.text for block in blocks if block.rank == best], entry_point)


def _choose(texts: Sequence[str], entry_point: str | None) -> str:
    if len(texts) == 1:
        return texts[0]
    defined = [_defined_names(text) for text in texts]
    for wanted in (lambda names: entry_point in names, bool):
        for text, names in zip(reversed(texts), reversed(defined), strict=True):
            if wanted(names):
                return text
    return texts[-1]


def _without_reasoning(text: str) -> str:
    ends = [tag.end() for tag in _REASONING_END.finditer(text)]
    if ends:
        text = text[ends[-1] :].lstrip("\r\n")
    start = _REASONING_START.search(text)
    # Only where an answer would stand: a tag inside a fence is code.
    if start is not None and not re.search(r"^[ \t]*(?:`{3}|~{3})", text[: start.start()], re.MULTILINE):
        return text[: start.start()]
    return text


def _find_blocks(text: str, depth: int = 0) -> Iterator[_Block]:
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    at = 0
    while at < len(lines):
        line = lines[at].rstrip("\r\n")
        opening = _OPENING.match(line) or _OPENING_IN_LINE.match(line)
        at += 1
        if opening is None:
            continue
        word = _WORD.match(opening["info"])
        language = word[1].lower() if word else ""
        closings = list(_find_closings(lines, at, opening))
        content = _dedented(lines[at : closings[0]], opening)
        end = closings[0]
        if language in _PYTHON or not language:
            end, content = _first_that_parses(lines, at, closings, opening)
        at = end + 1
        inner = []
        if language in _DOCUMENT and depth < MAX_DOCUMENT_DEPTH:
            inner = list(_find_blocks(content, depth + 1))
        yield from inner or [_Block(language, content)]


def _find_closings(lines: Sequence[str], start: int, opening: re.Match[str]) -> Iterator[int]:
    """The lines that may end a block, at most a few; at last the end of the text."""
    fence = opening["fence"]
    found = 0
    for number in range(start, len(lines)):
        closing = _CLOSING.match(lines[number].rstrip("\r\n"))
        if closing and closing["fence"][0] == fence[0] and len(closing["fence"]) >= len(fence):
            yield number
            found += 1
            if found == MAX_CLOSINGS_TRIED:
                return
    if not found:
        yield len(lines)


def _first_that_parses(
    lines: Sequence[str], start: int, closings: Sequence[int], opening: re.Match[str]
) -> tuple[int, str]:
    """The first end at which the block is Python, so that a fence in a docstring does not cut it."""
    for end in closings:
        content = _dedented(lines[start:end], opening)
        if _parse(content) is not None:
            return end, content
    return closings[0], _dedented(lines[start : closings[0]], opening)


def _dedented(lines: Sequence[str], opening: re.Match[str]) -> str:
    """The lines of a block without the indentation, or the quote marks, of its fence."""
    lead = opening.groupdict().get("lead") or ""
    if ">" in lead:
        return "".join(re.sub(r"^[ \t]*> ?", "", line) for line in lines)
    width = len(lead)
    return "".join(line[min(width, len(line) - len(line.lstrip(" \t"))) :] for line in lines)


def _defined_names(text: str) -> set[str]:
    tree = _parse(text)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in tree.body if isinstance(node, kinds)} if tree else set()


def _parse(text: str) -> ast.Module | None:
    if len(text) > MAX_PARSED_CHARS:
        return None
    try:
        with _WARNINGS_LOCK, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
