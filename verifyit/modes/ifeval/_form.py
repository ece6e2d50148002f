"""Checks of form: case, punctuation, marks, sections, layout, language."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from verifyit.modes.ifeval._language import LANGUAGE_HINTS
from verifyit.modes.ifeval._text import (
    compared,
    constraint,
    contains_keyword,
    count_param,
    paragraphs,
    sentences,
    text_param,
    verdict,
    words,
)

Params = dict[str, Any]
Finding = tuple[bool, str]

_QUOTES = (('"', '"'), ("\u201c", "\u201d"), ("'", "'"))
_TITLE = re.compile(r"<<[^<>\n]+>>")
_SPAN = re.compile(r"\*\*([^*\n]+)\*\*|\*([^*\n]+)\*")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_BRACKETS = re.compile(r"\[[^\[\]\n]+\]")
_RESPONSES = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_FENCE = "```"
MIN_FOREIGN_CHARACTERS = 10
FOREIGN_SHARE = 5


@constraint("change_case:english_capital")
def english_capital(text: str, params: Params) -> Finding:
    letters = [character for character in text if character.isalpha()]
    return verdict(bool(letters) and all(map(str.isupper, letters)), f"{len(letters)} letters")


@constraint("change_case:english_lowercase")
def english_lowercase(text: str, params: Params) -> Finding:
    letters = [character for character in text if character.isalpha()]
    return verdict(bool(letters) and all(map(str.islower, letters)), f"{len(letters)} letters")


@constraint("change_case:capital_word_frequency")
def capital_word_frequency(text: str, params: Params) -> Finding:
    count = sum(1 for word in words(text) if len(word) >= 2 and word.isupper())
    return compared(count, params, expected="capital_frequency", relation="capital_relation")


@constraint("punctuation:no_comma")
def no_comma(text: str, params: Params) -> Finding:
    return _without(text, ",")


@constraint("punctuation:punctuation_dot")
def punctuation_dot(text: str, params: Params) -> Finding:
    return _without(text, ".")


@constraint("punctuation:punctuation_exclamation")
def punctuation_exclamation(text: str, params: Params) -> Finding:
    return _without(text, "!")


def _without(text: str, mark: str) -> Finding:
    count = text.count(mark)
    return verdict(count == 0, f"{count} times {mark!r}")


@constraint("startend:end_checker")
def end_checker(text: str, params: Params) -> Finding:
    return verdict(text.rstrip().endswith(text_param(params, "end_phrase")), "the end of the text")


@constraint("startend:quotation")
def quotation(text: str, params: Params) -> Finding:
    stripped = text.strip()
    wrapped = any(
        len(stripped) >= 2 and stripped.startswith(opener) and stripped.endswith(closer)
        for opener, closer in _QUOTES
    )
    return verdict(wrapped, "quotation marks around the text")


@constraint("detectable_format:number_bullet_lists")
def number_bullet_lists(text: str, params: Params) -> Finding:
    expected = count_param(params, "num_bullets")
    count = sum(1 for line in text.splitlines() if line.startswith(("* ", "- ")))
    return verdict(count == expected, f"{count} bullets, expected {expected}")


@constraint("detectable_format:title")
def title(text: str, params: Params) -> Finding:
    return verdict(_TITLE.search(text) is not None, "a title in double angle brackets")


@constraint("detectable_format:json_format")
def json_format(text: str, params: Params) -> Finding:
    try:
        json.loads(_without_fence(text.strip()), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        return verdict(False, f"not JSON: {error}"[:200])
    return verdict(True, "JSON")


def _without_fence(text: str) -> str:
    if not text.startswith(_FENCE) or not text.endswith(_FENCE) or len(text) < 2 * len(_FENCE):
        return text
    return text[len(_FENCE) : -len(_FENCE)].removeprefix("json")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


@constraint("detectable_format:multiple_sections")
def multiple_sections(text: str, params: Params) -> Finding:
    expected = count_param(params, "num_sections")
    # The misspelt name is the one that the published data sets use.
    name = "section_spliter" if "section_spliter" in params else "section_splitter"
    splitter = text_param(params, name, "Section")
    if not splitter:
        return verdict(False, f"{name} must not be empty")
    count = len(re.findall(rf"{re.escape(splitter)}\s?\d+", text, re.IGNORECASE))
    return verdict(count == expected, f"{count} sections, expected {expected}")


@constraint("detectable_format:number_highlighted_sections")
def number_highlighted_sections(text: str, params: Params) -> Finding:
    expected = count_param(params, "num_highlights")
    count = sum(1 for span in _SPAN.finditer(text) if (span.group(1) or span.group(2)).strip())
    return verdict(count >= expected, f"{count} highlights, expected at least {expected}")


@constraint("detectable_format:square_brackets")
def square_brackets(text: str, params: Params) -> Finding:
    return verdict(_BRACKETS.search(text) is not None, "a part in square brackets")


@constraint("detectable_format:sentence_hyphens")
def sentence_hyphens(text: str, params: Params) -> Finding:
    found = sentences(text)
    wrong = sum(1 for part in found if "-" not in part or " " in part or "\t" in part)
    return verdict(bool(found) and not wrong, f"{wrong} of {len(found)} sentences are not joined by hyphens")


@constraint("detectable_format:bigram_wrapping")
def bigram_wrapping(text: str, params: Params) -> Finding:
    wrapped = any(len(words(span)) == 2 for span in _BOLD.findall(text))
    return verdict(wrapped, "two words in bold")


@constraint("detectable_format:constrained_response")
def constrained_response(text: str, params: Params) -> Finding:
    return verdict(text.strip() in _RESPONSES, "one of the three responses")


@constraint("detectable_content:postscript")
def postscript(text: str, params: Params) -> Finding:
    marker = text_param(params, "postscript_marker").lower()
    found = bool(marker) and any(line.lstrip().lower().startswith(marker) for line in text.splitlines())
    return verdict(found, "a line that starts with the marker")


@constraint("detectable_content:number_placeholders")
def number_placeholders(text: str, params: Params) -> Finding:
    expected = count_param(params, "num_placeholders")
    count = len(_BRACKETS.findall(text))
    return verdict(count >= expected, f"{count} placeholders, expected at least {expected}")


@constraint("paragraphs:paragraphs")
@constraint("paragraphs:paragraphs2")
def two_paragraphs(text: str, params: Params) -> Finding:
    parts = [part for part in text.split("***") if part.strip()]
    count = max(len(parts), len(paragraphs(text)))
    return verdict(count >= 2, f"{count} paragraphs, expected at least 2")


@constraint("language:response_language")
def response_language(text: str, params: Params) -> Finding:
    language = text_param(params, "language")
    hints = LANGUAGE_HINTS.get(language)
    if hints is not None:
        found = next((hint for hint in hints if contains_keyword(text, hint)), None)
        return verdict(found is not None, f"common word {found!r}")
    foreign = sum(1 for character in text if not character.isascii())
    needed = max(MIN_FOREIGN_CHARACTERS, len(text) // FOREIGN_SHARE)
    return verdict(foreign >= needed, f"{foreign} characters beyond ASCII, expected at least {needed}")


@constraint("combination:two_responses")
def two_responses(text: str, params: Params) -> Finding:
    parts = [part.strip() for part in text.split("******")]
    responses = [part for part in parts if part]
    inner_blank = any(not part for part in parts[1:-1])
    different = len(responses) == 2 and responses[0] != responses[1]
    return verdict(different and not inner_blank, f"{len(responses)} responses")
