"""Checks of words, keywords, letters and counts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from verifyit.modes.ifeval._text import (
    compared,
    constraint,
    contains_keyword,
    count_keyword,
    count_param,
    flag_param,
    paragraphs,
    same_word,
    sentences,
    text_param,
    texts_param,
    verdict,
    words,
)

MIN_PALINDROME = 3
MIN_UNIQUE_WORDS = 5

Params = dict[str, Any]
Finding = tuple[bool, str]


@constraint("length_constraints:number_paragraphs")
def number_paragraphs(text: str, params: Params) -> Finding:
    count, expected = len(paragraphs(text)), count_param(params, "num_paragraphs")
    return verdict(count == expected, f"{count} paragraphs, expected {expected}")


@constraint("length_constraints:number_words")
def number_words(text: str, params: Params) -> Finding:
    return compared(len(words(text)), params, expected="num_words")


@constraint("length_constraints:number_sentences")
def number_sentences(text: str, params: Params) -> Finding:
    return compared(len(sentences(text)), params, expected="num_sentences")


@constraint("length_constraints:nth_paragraph_first_word")
def nth_paragraph_first_word(text: str, params: Params) -> Finding:
    found, expected = paragraphs(text), count_param(params, "num_paragraphs")
    nth, first_word = count_param(params, "nth_paragraph"), text_param(params, "first_word")
    if len(found) != expected or not 1 <= nth <= expected:
        return verdict(False, f"{len(found)} paragraphs, expected {expected}")
    return _first_is(words(found[nth - 1]), first_word)


@constraint("keywords:existence")
def existence(text: str, params: Params) -> Finding:
    boundary = flag_param(params, "word_boundary", default=True)
    keywords = texts_param(params, "keywords", [])
    missing = [keyword for keyword in keywords if not contains_keyword(text, keyword, boundary)]
    return verdict(not missing, f"missing: {missing}")


@constraint("keywords:forbidden_words")
def forbidden_words(text: str, params: Params) -> Finding:
    boundary = flag_param(params, "word_boundary", default=True)
    keywords = texts_param(params, "forbidden_words")
    found = [keyword for keyword in keywords if contains_keyword(text, keyword, boundary)]
    return verdict(not found, f"found: {found}")


@constraint("keywords:frequency")
@constraint("keywords:word_count_different_numbers")
def frequency(text: str, params: Params) -> Finding:
    return compared(count_keyword(text, text_param(params, "keyword")), params, expected="frequency")


@constraint("keywords:word_once")
def word_once(text: str, params: Params) -> Finding:
    count = count_keyword(text, text_param(params, "keyword"))
    return verdict(count == 1, f"{count} times, expected once")


@constraint("keywords:letter_frequency")
@constraint("letters:letter_counting2")
def letter_frequency(text: str, params: Params) -> Finding:
    letter = text_param(params, "letter")
    if len(letter) != 1:
        return verdict(False, "letter must be one character")
    count = text.lower().count(letter.lower())
    return compared(count, params, expected="let_frequency", relation="let_relation")


@constraint("keywords:keyword_specific_position")
def keyword_specific_position(text: str, params: Params) -> Finding:
    keyword = text_param(params, "keyword")
    nth_sentence, nth_word = count_param(params, "n"), count_param(params, "m")
    found = sentences(text)
    if not 1 <= nth_sentence <= len(found):
        return verdict(False, f"{len(found)} sentences")
    in_sentence = words(found[nth_sentence - 1])
    if not 1 <= nth_word <= len(in_sentence):
        return verdict(False, f"{len(in_sentence)} words in the sentence")
    word = in_sentence[nth_word - 1]
    return verdict(same_word(word, keyword), f"the word there is {word!r}")


@constraint("keywords:palindrome")
def palindrome(text: str, params: Params) -> Finding:
    for word in words(text.lower()):
        if len(word) >= MIN_PALINDROME and word == word[::-1]:
            return verdict(True, f"palindrome {word!r}")
    return verdict(False, "no palindrome")


@constraint("keywords:no_adjacent_consecutive")
def no_adjacent_consecutive(text: str, params: Params) -> Finding:
    repeated = [left for left, right in pairwise(words(text)) if same_word(left, right)]
    return verdict(not repeated, f"repeated: {repeated[:8]}")


@constraint("keywords:start_end")
def start_end(text: str, params: Params) -> Finding:
    found = words(text)
    if not found:
        return verdict(False, "no words")
    return verdict(same_word(found[0], found[-1]), f"{found[0]!r} and {found[-1]!r}")


@constraint("first_word:first_word_answer")
def first_word_answer(text: str, params: Params) -> Finding:
    return _first_is(words(text), text_param(params, "first_word"))


@constraint("last_word:last_word_answer")
def last_word_answer(text: str, params: Params) -> Finding:
    return _first_is(words(text)[::-1], text_param(params, "last_word"))


@constraint("first_word:first_word_sent")
def first_word_sent(text: str, params: Params) -> Finding:
    expected = text_param(params, "first_word")
    return _all_first([words(sentence) for sentence in sentences(text)], expected)


@constraint("last_word:last_word_sent")
def last_word_sent(text: str, params: Params) -> Finding:
    expected = text_param(params, "last_word")
    return _all_first([words(sentence)[::-1] for sentence in sentences(text)], expected)


def _first_is(found: list[str], expected: str) -> Finding:
    if not found:
        return verdict(False, "no words")
    return verdict(same_word(found[0], expected), f"the word is {found[0]!r}")


def _all_first(found: list[list[str]], expected: str) -> Finding:
    wrong = sum(1 for group in found if not _first_is(group, expected)[0])
    return verdict(bool(found) and not wrong, f"{wrong} of {len(found)} sentences have another word there")


@constraint("count:count_unique")
def count_unique(text: str, params: Params) -> Finding:
    found = words(text.lower())
    distinct, needed = len(set(found)), max(MIN_UNIQUE_WORDS, len(found) // 2)
    return verdict(distinct >= needed, f"{distinct} distinct words, expected at least {needed}")


@constraint("count:count_increment_word")
def count_increment_word(text: str, params: Params) -> Finding:
    first = sum(count_keyword(text, keyword) for keyword in texts_param(params, "keyword1"))
    second = sum(count_keyword(text, keyword) for keyword in texts_param(params, "keyword2"))
    return verdict(first > 0 and first == second + 1, f"{first} and {second}")


@constraint("count:lowercase_counting")
def lowercase_counting(text: str, params: Params) -> Finding:
    count, expected = (
        sum(1 for word in words(text) if word.isalpha() and word.islower()),
        count_param(params, "N"),
    )
    return verdict(count >= expected, f"{count} words in lower case, expected at least {expected}")


@constraint("count:counting_composition")
def counting_composition(text: str, params: Params) -> Finding:
    needed_sentences, needed_words = count_param(params, "n_sent"), count_param(params, "n_words")
    found = sentences(text)
    if len(found) < needed_sentences:
        return verdict(False, f"{len(found)} sentences, expected at least {needed_sentences}")
    short = [part for part in found[: max(needed_sentences, 0)] if len(words(part)) < needed_words]
    return verdict(not short, f"{len(short)} sentences have fewer than {needed_words} words")


@constraint("letters:letter_counting")
def letter_counting(text: str, params: Params) -> Finding:
    # The name says letters; what the constraint counts are words.
    return compared(len(words(text)), params, expected="N")


@constraint("copy:repeat_phrase")
def repeat_phrase(text: str, params: Params) -> Finding:
    phrase, expected = text_param(params, "phrase"), count_param(params, "small_n")
    if not phrase:
        return verdict(False, "phrase must not be empty")
    count = text.lower().count(phrase.lower())
    return verdict(count >= expected, f"{count} times, expected at least {expected}")
