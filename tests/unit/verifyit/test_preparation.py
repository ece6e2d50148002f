"""Texts, rows and instructions before they are compared."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.instruction_observations import (
    count_schema,
    prepare_extended_instruction_observations,
    prepare_instruction_observations,
)
from verifyit.modes.grade_ifeval import grade_instruction_observations
from verifyit.preparation.errors import InvalidPreparation, PreparationError
from verifyit.preparation.sqlite import prepare_sqlite_row_set
from verifyit.preparation.text import (
    TextInputs,
    TextNormalization,
    TextPolicy,
    normalize_text,
    structure_text,
)
from verifyit.reward import InvalidTask, Status


def prepared(candidate, references=("x",), **options):
    return normalize_text(structure_text(candidate, references), TextNormalization(**options))


def test_texts_are_kept_as_they_came():
    references = ["a", "b"]
    inputs = structure_text("c", references)
    references.append("d")
    assert inputs == TextInputs("c", ("a", "b"))


@pytest.mark.parametrize("references", [[], "text", None, [""], [1], b"x"])
def test_references_must_be_texts(references):
    with pytest.raises(InvalidPreparation) as caught:
        structure_text("c", references)
    assert isinstance(caught.value, InvalidTask)
    assert caught.value.verdict.status is Status.INVALID_TASK
    assert caught.value.failure.stage == "structure"


def test_a_candidate_that_is_no_text_is_a_scored_zero():
    with pytest.raises(PreparationError) as caught:
        structure_text(None, ["a"])
    verdict = caught.value.verdict
    assert (verdict.status, verdict.reward, verdict.detail["category"]) == (Status.SCORED, 0.0, "agent")


@pytest.mark.parametrize(
    ("options", "text", "normal"),
    [
        ({}, "A b!\0", "A b!"),
        ({"ignore_case": True}, "ÀB", "àb"),
        ({"ignore_punctuation": True}, "a,b.«", "ab«"),
        ({"ignore_numbers": True}, "a1٣", "a٣"),
        ({"regexes_to_ignore": (",", r"\$")}, "$1,000", "1000"),
        ({"regexes_to_ignore": ("[A-Z]",), "ignore_case": True}, "aB", "a"),
        ({"policy": TextPolicy.IDENTITY}, "A\0", "A\0"),
    ],
)
def test_the_policy_of_harnesses(options, text, normal):
    ready = prepared(text, [text, "x"], **options)
    assert (ready.candidate, ready.references[0]) == (normal, normal)
    assert ready.raw.candidate == text


@pytest.mark.parametrize(
    "options",
    [{"regexes_to_ignore": ("(",)}, {"regexes_to_ignore": (1,)}, {"policy": "identity"},
     {"policy": TextPolicy.IDENTITY, "ignore_case": True}],
)  # fmt: skip
def test_rules_that_make_no_sense(options):
    with pytest.raises(InvalidPreparation) as caught:
        prepared("a", **options)
    assert caught.value.failure.stage == "normalize"


def test_a_candidate_too_long_for_patterns_is_a_scored_zero():
    with pytest.raises(PreparationError) as caught:
        prepared("a" * 20_001, regexes_to_ignore=("(?s).*#### ",))
    assert caught.value.verdict.status is Status.SCORED
    assert prepared("a" * 20_001).candidate == "a" * 20_001


def test_missing_numpy_is_an_infra_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(PreparationError) as caught:
        prepared("a")
    assert caught.value.verdict.status is Status.INFRA_ERROR
    assert prepared("a", policy=TextPolicy.IDENTITY).candidate == "a"


def test_rows_are_a_set():
    rows = ((1, "a"), (None, b"x"))
    assert prepare_sqlite_row_set(rows) == prepare_sqlite_row_set(((None, b"x"), (1.0, "a"), (1, "a")))
    assert prepare_sqlite_row_set(((-0.0,),)) == prepare_sqlite_row_set(((0,),))


DIFFERENT = [
    (),
    ((),),
    ((1,),),
    (("1",),),
    ((b"1",),),
    ((None,),),
    ((0.1,),),
    ((1, 1),),
    ((2**53 + 1,),),
    ((2.0**53,),),
]


def test_rows_that_differ_stay_apart():
    assert len({prepare_sqlite_row_set(rows) for rows in DIFFERENT}) == len(DIFFERENT)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, [], 1j])
def test_rows_hold_what_databases_give(value):
    with pytest.raises(ValueError, match="database"):
        prepare_sqlite_row_set(((value,),))


@given(st.lists(st.tuples(st.integers() | st.text() | st.binary() | st.none())))
def test_the_order_of_rows_does_not_show(rows):
    assert prepare_sqlite_row_set(tuple(rows)) == prepare_sqlite_row_set(tuple(reversed(rows)))


@pytest.mark.parametrize(
    ("relation", "key"),
    [
        ("at least", "minimum"),
        ("at most", "maximum"),
        ("less than", "exclusiveMaximum"),
        ("exactly", "const"),
    ],
)
def test_counts_are_schemas(relation, key):
    assert count_schema(3, relation) == {"type": "integer", key: 3}


@pytest.mark.parametrize(("count", "relation"), [(1, "near"), ("1", "exactly"), (True, "exactly")])
def test_counts_that_make_no_sense(count, relation):
    with pytest.raises(InvalidTask):
        count_schema(count, relation)


def holds(*args):
    return grade_instruction_observations(prepare_instruction_observations("ifeval", *args)).reward == 1.0


def test_instructions_become_checks():
    words = {"num_words": 3, "relation": "at least", "unused": None}
    assert holds("length_constraints:number_words", words, None, "one two three")
    assert not holds("length_constraints:number_words", words, None, "one two")
    assert holds("punctuation:no_comma", None, None, "x")
    assert holds("combination:repeat_prompt", {}, "Say hi", "say HI. Hi!")
    assert not holds("combination:repeat_prompt", {"prompt_to_repeat": "Other"}, "Say hi", "say hi")


def test_what_is_not_known_is_none():
    assert prepare_instruction_observations("other", "punctuation:no_comma", {}, None, "x") is None
    assert prepare_instruction_observations("ifeval", "no:such", {}, None, "x") is None
    assert prepare_instruction_observations("ifeval", 3, {}, None, "x") is None
    assert prepare_extended_instruction_observations("no:such", {}, None, "x") is None


def test_instructions_that_make_no_sense():
    with pytest.raises(InvalidTask):
        prepare_instruction_observations("ifeval", "punctuation:no_comma", [], None, "x")
    with pytest.raises(InvalidTask):
        prepare_instruction_observations("ifeval", "combination:repeat_prompt", {}, None, "x")
    with pytest.raises(InvalidTask):
        prepare_extended_instruction_observations("length_constraints:number_words", {}, None, "x")
    with pytest.raises(InvalidTask):
        prepare_extended_instruction_observations("keywords:frequency", {"frequency": 1}, None, "x")


class Tools:
    @staticmethod
    def words(text):
        return list(text)


@pytest.mark.parametrize(
    ("identifier", "args", "tools", "text", "count"),
    [
        ("length_constraints:number_words", {"num_words": 2}, None, "a bc", 2),
        ("length_constraints:number_words", {"num_words": 2}, Tools, "a bc", 4),
        ("length_constraints:number_words", {"num_words": 2}, {"words": str.split}, "a, bc", 2),
        ("length_constraints:number_sentences", {"num_sentences": 2}, None, "A. B.", 2),
        ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, None, "a\n\nb", 2),
        ("keywords:frequency", {"frequency": 1, "keyword": "a"}, None, "a A ab", 2),
        ("keywords:letter_frequency", {"let_frequency": 1, "letter": "A"}, None, "aA", 2),
        ("detectable_format:number_bullet_lists", {"num_bullets": 2}, None, "* a\n- b\n-c", 2),
        ("detectable_content:number_placeholders", {"num_placeholders": 2}, None, "[a] [b] []", 2),
    ],
)
def test_numbers_are_observed(identifier, args, tools, text, count):
    ((schema, observed),) = prepare_extended_instruction_observations(identifier, args, tools, text)
    assert observed == count
    assert schema["type"] == "integer"
