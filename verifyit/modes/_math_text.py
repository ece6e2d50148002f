"""The parts of math answers that need no algebra: lists, their brackets and their commas."""

from __future__ import annotations

import re

from verifyit.modes.extract import strip_math_delimiters

_SIZES = re.compile(r"\\(?:left|right|big|Big|bigg|Bigg)(?![A-Za-z])")
_PAIRS = (("\\{", "\\}"), ("[", "]"), ("(", ")"), ("{", "}"))
_TOKENS = re.compile(r"[(\[{)\]},]")


def is_set_like(math_type: str) -> bool:
    """Whether answers of this type may also be written as relations."""
    return math_type in ("set", "interval")


def split_members(text: str) -> list[str]:
    """The members of a list, its sizing commands and one pair of brackets around it removed.

    A text of nothing but brackets has no members.
    """
    bare = _without_brackets(strip_math_delimiters(_SIZES.sub("", text)))
    if not bare:
        return []
    members, start, depth = [], 0, 0
    for token in _TOKENS.finditer(bare):
        mark = token.group()
        if mark == ",":
            if depth == 0:
                members.append(bare[start : token.start()].strip())
                start = token.end()
        else:
            depth += 1 if mark in "([{" else -1
    return [*members, bare[start:].strip()]


def _without_brackets(text: str) -> str:
    for opener, closer in _PAIRS:
        if text.startswith(opener) and text.endswith(closer) and _closes_at_end(text):
            return text[len(opener) : -len(closer)].strip()
    return text


def _closes_at_end(text: str) -> bool:
    depth = 0
    for token in _TOKENS.finditer(text):
        if token.group() == ",":
            continue
        depth += 1 if token.group() in "([{" else -1
        if depth == 0:
            return token.end() == len(text)
    return False
