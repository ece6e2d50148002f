"""Structures that were cut off: where they stand, and what would finish them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.structure_closure import (
    PrefixStatus,
    delimited_json_closure_state,
    json_closure_state,
    paired_marker_closure_state,
    required_code_fence_state,
)

COMPLETE, EXTENDABLE, INVALID = PrefixStatus.COMPLETE, PrefixStatus.EXTENDABLE, PrefixStatus.INVALID


def delimited(text):
    return delimited_json_closure_state(text, opener="<t>", closer="</t>")


def paired(text):
    return paired_marker_closure_state(text, opener="<a>", closer="</a>")


ANY_TEXT = st.text() | st.text('[]{}",:\\ \n0123456789truefalsn-+.eEu`~<>/at', max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.parametrize("state_of", [json_closure_state, delimited, paired, required_code_fence_state])
@given(text=ANY_TEXT, opener=st.sampled_from(["", "<t>", "<a>", "```\n", "~~~", "{", '["']))
def test_any_text_has_a_state_and_a_suffix_that_is_offered_works(state_of, text, opener):
    state = state_of(opener + text)
    assert (state.error_offset is None) == (state.status is not INVALID)
    if state.status is COMPLETE:
        assert state.closing_suffix == ""
        assert state.completion_offset is not None
    if state.closing_suffix is not None:
        assert state_of(opener + text + state.closing_suffix).status is COMPLETE


@given(JSON, st.data())
def test_json_is_extendable_at_every_cut(value, data):
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    assert json_closure_state(text).status is COMPLETE
    for cut in range(len(text)):
        state = json_closure_state(text[:cut])
        # A number cut short, such as 1 of 12, is itself a whole number.
        assert state.status is EXTENDABLE or isinstance(value, int | float)


@given(ANY_TEXT)
def test_json_agrees_with_the_parser_on_what_is_complete(text):
    try:
        json.loads(text, parse_constant=lambda name: json.loads(f"#{name}"))
        parses = True
    except ValueError:
        parses = False
    state = json_closure_state(text)
    duplicates = state.reason is not None and "already has" in state.reason
    assert (state.status is COMPLETE) == (parses and not duplicates)


@pytest.mark.parametrize(
    ("text", "suffix", "opened"),
    [
        ("", None, ()),
        ('{"a": "x', '"}', ("object", "string")),
        ('{"a', None, ("object", "string")),
        ('{"a"', None, ("object",)),
        ('{"a":', None, ("object",)),
        ('{"a": 1', None, ("object",)),
        ('{"a": 1 ', "}", ("object",)),
        ('{"a": 1,', None, ("object",)),
        ("[", "]", ("array",)),
        ("{", "}", ("object",)),
        ("[1,", None, ("array",)),
        ("[tru", None, ("array",)),
        ("[true", "]", ("array",)),
        ('["a\\', None, ("array", "string")),
        ('["\\u00', None, ("array", "string")),
        ('["\\u00e9', '"]', ("array", "string")),
        ("-", None, ()),
        ("1.", None, ()),
        ("1e+", None, ()),
        ('[{"a": []', "}]", ("array", "object")),
    ],
)
def test_json_that_can_be_finished(text, suffix, opened):
    state = json_closure_state(text)
    assert (state.status, state.closing_suffix, state.open_structures) == (EXTENDABLE, suffix, opened)


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("01", 1),
        ("-x", 1),
        ("1x", 1),
        ("truex", 4),
        ("tr ue", 2),
        ("[1,]", 3),
        ("{,", 1),
        ('{"a" 1', 5),
        ('{"a":1,}', 7),
        ('{"a":1,"\\u0061":2}', 14),
        ('"\x01"', 1),
        ('"\\x"', 2),
        ('"\\u00g"', 5),
        ("]", 0),
        ("[1}", 2),
        ("\u00a01", 0),
        ("nan", 1),
        ("[1 2]", 3),
    ],
)
def test_json_that_is_broken(text, offset):
    state = json_closure_state(text)
    assert (state.status, state.error_offset, state.completion_offset) == (INVALID, offset, None)


def test_content_after_the_end_is_invalid_and_the_end_stays_known():
    state = json_closure_state(' {"a": 1}  x')
    assert (state.status, state.completion_offset, state.error_offset) == (INVALID, 9, 11)
    assert json_closure_state("12 \n").completion_offset == 2


def test_depth_and_length_cost_no_recursion():
    assert json_closure_state("[" * 200_000).closing_suffix == "]" * 200_000


@pytest.mark.parametrize(
    ("text", "status", "suffix"),
    [
        ("", EXTENDABLE, None),
        ("<t", EXTENDABLE, None),
        ("<t>", EXTENDABLE, None),
        ('<t>{"a": "</t>', EXTENDABLE, '"}</t>'),
        ("<t>{}", EXTENDABLE, "</t>"),
        ("<t>{} ", EXTENDABLE, "</t>"),
        ("<t>1", EXTENDABLE, None),
        ("<t>1 ", EXTENDABLE, "</t>"),
        ("<t>{}</", EXTENDABLE, "t>"),
        ("<t> {}\n</t>", COMPLETE, ""),
        ("<t>{}</t> x", INVALID, None),
        ("<t>{}x", INVALID, None),
        ("<t>]", INVALID, None),
        ("x<t>", INVALID, None),
    ],
)
def test_json_between_markers(text, status, suffix):
    state = delimited(text)
    assert (state.status, state.closing_suffix) == (status, suffix)


def test_a_closer_that_begins_with_a_blank_is_found():
    state = delimited_json_closure_state("<t>{}\n", opener="<t>", closer="\n</t>")
    assert state.closing_suffix == "</t>"


@pytest.mark.parametrize(
    ("text", "status", "suffix"),
    [
        ("<", EXTENDABLE, None),
        ("<a>", EXTENDABLE, "</a>"),
        ("<a>x", EXTENDABLE, "</a>"),
        ("<a>x</", EXTENDABLE, "a>"),
        ("<a>x</a>", COMPLETE, ""),
        ("<a>x</a>\n", COMPLETE, ""),
        ("<a>x<a></a>", INVALID, None),
        ("<a>x</a><a>", INVALID, None),
        ("b", INVALID, None),
    ],
)
def test_text_between_markers(text, status, suffix):
    state = paired(text)
    assert (state.status, state.closing_suffix) == (status, suffix)


def test_of_two_markers_at_one_place_the_longer_is_meant():
    state = paired_marker_closure_state("<a>b<a>", opener="<a>", closer="<a")
    assert (state.status, state.error_offset) == (INVALID, 4)


@pytest.mark.parametrize("state_of", [delimited_json_closure_state, paired_marker_closure_state])
@pytest.mark.parametrize(("opener", "closer"), [("", "x"), ("x", ""), ("x", "x")])
def test_markers_must_be_two(state_of, opener, closer):
    with pytest.raises(ValueError, match="marker"):
        state_of("", opener=opener, closer=closer)


@pytest.mark.parametrize(
    ("text", "status", "suffix"),
    [
        ("", EXTENDABLE, None),
        ("  ``", EXTENDABLE, None),
        ("```", EXTENDABLE, "\n```"),
        ("```py", EXTENDABLE, "\n```"),
        ("```py\n", EXTENDABLE, "```"),
        ("```py\nx", EXTENDABLE, "\n```"),
        ("```py\nx\n``", EXTENDABLE, "`"),
        ("```py\nx\n    ```", EXTENDABLE, "\n```"),
        ("````\nx\n```", EXTENDABLE, "`"),
        ("~~~ `info`\nx\n```\n~~~~ \t", COMPLETE, ""),
        ("```\n```", COMPLETE, ""),
        ("```\n```x\n", EXTENDABLE, "```"),
        ("```a`b", INVALID, None),
        ("    ```", INVALID, None),
        ("``x", INVALID, None),
        ("x", INVALID, None),
        ("```\n```\nmore", INVALID, None),
    ],
)
def test_code_fences(text, status, suffix):
    state = required_code_fence_state(text)
    assert (state.status, state.closing_suffix) == (status, suffix)


def test_a_fence_that_ends_the_text_is_guarded_by_a_newline():
    assert required_code_fence_state("```\nx\n```").completion_guard == "\n"
    assert required_code_fence_state("```\nx\n```\n").completion_guard == ""
    assert required_code_fence_state("```\nx\n```\n").completion_offset == 9
