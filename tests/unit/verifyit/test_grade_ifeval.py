import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.candidate import candidate_spec, grade_candidate
from verifyit.grade import grade
from verifyit.modes.grade_ifeval import (
    grade_ifeval_candidate,
    grade_instruction_observations,
    resolve_checks,
    validate_ifeval,
)
from verifyit.modes.ifeval import (
    CONSTRAINTS,
    compare,
    constraint,
    contains_keyword,
    count_keyword,
    paragraphs,
    sentences,
    words,
)
from verifyit.reward import InvalidTask
from verifyit.spec import Constraint, IfevalSpec

L = "length_constraints:"
K = "keywords:"
F = "detectable_format:"
C = "detectable_content:"
UPPER = "THE CAT"
QUOTED = "\u201cyes\u201d"
SPLIT = "******"
ZH = "这是一个很好的例子吗对"

# constraint, params, a text that passes, texts that fail
TABLE = [
    (L + "number_paragraphs", {"num_paragraphs": 2}, "a\n\nb", ["a", "a\nb", "a\n\nb\n \nc"]),
    (L + "number_words", {"num_words": 3}, "one two-part it's 4", ["a b", ""]),
    (L + "number_words", {"num_words": 3, "relation": "at most"}, "a b c", ["a b c d"]),
    (L + "number_words", {"num_words": 3, "relation": "less than"}, "a b", ["a b c"]),
    (L + "number_words", {"num_words": 3, "relation": "equal"}, "a b c", ["a b", "a b c d"]),
    (L + "number_words", {"num_words": 3, "relation": "exactly"}, "a b c", ["a b"]),
    (L + "number_sentences", {"num_sentences": 2}, "A. B!", ["A.B", "A"]),
    (L + "number_sentences", {"num_sentences": 2, "relation": "equal"}, "What? Yes", ["One. Two. Three."]),
    (L + "nth_paragraph_first_word", {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "Then"},
     "First\n\nthen it", ["First\n\nlast", "then", "First\n\n\u00e9", "a\n\nthen\n\nb"]),
    (L + "nth_paragraph_first_word", {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "A"}, "a", ["b"]),
    (K + "existence", {"keywords": ["copper", "zinc"]}, "Copper and ZINC.", ["copper zincs", "zinc"]),
    (K + "existence", {"keywords": ["zinc"], "word_boundary": False}, "zincs", ["tin"]),
    (K + "existence", {"keywords": ["C++", ".NET"]}, "I know C++ and .NET well", ["C+ and NET", "C++11 .NET"]),
    (K + "forbidden_words", {"forbidden_words": ["cat"]}, "concatenate", ["a CAT", "cat."]),
    (K + "forbidden_words", {"forbidden_words": ["cat"], "word_boundary": False}, "dog", ["concatenate"]),
    (K + "frequency", {"keyword": "a", "frequency": 2}, "a b A", ["a b", "ab ba"]),
    (K + "frequency", {"keyword": "a", "frequency": 2, "relation": "less than"}, "a b", ["a a"]),
    (K + "word_count_different_numbers", {"keyword": "a", "frequency": 1, "relation": "equal"}, "a", ["a a", "b"]),
    (K + "word_once", {"keyword": "once"}, "Once more", ["once once", "none"]),
    (K + "letter_frequency", {"letter": "e", "let_frequency": 3}, "Eee", ["ee"]),
    ("letters:letter_counting2", {"letter": "#", "let_frequency": 1, "let_relation": "at most"}, "a#", ["##"]),
    (K + "keyword_specific_position", {"keyword": "cat", "n": 2, "m": 3}, "Hi. See the CAT.", ["See the cat.", "Hi. The cat."]),
    (K + "palindrome", {}, "My Level", ["no aa bb", ""]),
    (K + "no_adjacent_consecutive", {}, "a b a", ["a A", "the the"]),
    (K + "start_end", {}, "Go and go", ["go on", "!", ""]),
    ("change_case:english_capital", {}, UPPER + " 1!", ["The CAT", "123", ""]),
    ("change_case:english_lowercase", {}, "the cat 1!", ["The cat", "123"]),
    ("change_case:capital_word_frequency", {"capital_frequency": 2}, "THE CAT A sat", ["THE Cat A"]),
    ("change_case:capital_word_frequency", {"capital_frequency": 0, "capital_relation": "equal"}, "A b", ["AB"]),
    ("punctuation:no_comma", {}, "a.", ["a, b"]),
    ("punctuation:punctuation_dot", {}, "a!", ["a."]),
    ("punctuation:punctuation_exclamation", {}, "a.", ["a!"]),
    ("startend:end_checker", {"end_phrase": "the End."}, "It is the End. \n", ["the end.", "the End"]),
    ("startend:quotation", {}, ' "a" ', ['"', "'", '"a', "a\u201d", "a"]),
    ("startend:quotation", {}, QUOTED, ['\u201cyes"', "\u201c"]),
    ("startend:quotation", {}, "'a'", ["'a"]),
    (F + "number_bullet_lists", {"num_bullets": 2}, "* a\n- b\n*c", ["* a", "* a\n* b\n* c", " * a\n- b"]),
    (F + "title", {}, "x <<A title>>", ["<<>>", "<<a\nb>>", "<a>", "<<a<b>>"]),
    (F + "json_format", {}, ' {"a": [1]} ', ["{a}", "NaN", "[" * 100_000, "x {}", ""]),
    (F + "json_format", {}, "```json\n[1]\n```", ["```json\n[1]", "x ```json\n[1]\n```", "```"]),
    (F + "json_format", {}, "```\n[1]\n```", ["```yaml\n[1]\n```"]),
    (F + "multiple_sections", {"num_sections": 2}, "Section 1 a SECTION 2", ["Section 1", "Section one section 2"]),
    (F + "multiple_sections", {"num_sections": 1, "section_spliter": "PART"}, "part3", ["Section 1"]),
    (F + "multiple_sections", {"num_sections": 1, "section_splitter": "Day."}, "Day. 1", ["Day 1", "DayX 1"]),
    (F + "number_highlighted_sections", {"num_highlights": 2}, "*a* **b**", ["*a*", "*a\nb* *c*", "* * *d*", "** **"]),
    (F + "square_brackets", {}, "a [b]", ["[]", "[a\nb]", "a]"]),
    (F + "sentence_hyphens", {}, "A-b-c.\nD-e.", ["A-b. C d-e.", "A-b\tc", "Ab.", ""]),
    (F + "bigram_wrapping", {}, "a **two words** b", ["**one**", "**now three words**", "*two words*"]),
    (F + "constrained_response", {}, " My answer is maybe. ", ["My answer is yes", "my answer is no."]),
    (F + "constrained_response", {}, "My answer is yes.", ["yes"]),
    (C + "postscript", {"postscript_marker": "P.S."}, "a\n  p.s. b", ["a P.S. b"]),
    (C + "number_placeholders", {"num_placeholders": 2}, "[a] [b] [c]", ["[a]", "[] [b]"]),
    ("paragraphs:paragraphs", {}, "a *** b", ["a", "*** a", "a\nb"]),
    ("paragraphs:paragraphs2", {}, "a\n\nb", ["a ***"]),
    ("first_word:first_word_answer", {"first_word": "YES"}, "yes, it is", ["no", "", "\u00e9 yes"[:1]]),
    ("last_word:last_word_answer", {"last_word": "done"}, "It is Done.", ["done it", ""]),
    ("first_word:first_word_sent", {"first_word": "we"}, "We go. we see!", ["We go. They see.", "", "We. ..."]),
    ("last_word:last_word_sent", {"last_word": "go"}, "We go. They Go!", ["We go. They see.", ""]),
    ("count:count_unique", {}, "a b c d e", ["a b c d", "a a a a a b c d", "x " * 12 + "a b c d"]),
    ("count:count_increment_word", {"keyword1": ["a"], "keyword2": ["b", "c"]}, "a a a b c", ["a b", "b", "a a"]),
    ("count:count_increment_word", {"keyword1": ["a"], "keyword2": ["b"]}, "a", ["x"]),
    ("count:lowercase_counting", {"N": 2}, "the cat", ["The cat", "a1 cat"]),
    ("count:counting_composition", {"n_sent": 2, "n_words": 2}, "A b. C d. E", ["A b.", "A. C d."]),
    ("letters:letter_counting", {"N": 3, "relation": "less than"}, "a b", ["a b c"]),
    ("language:response_language", {"language": "en"}, "The cat sat.", ["Katze.", ""]),
    ("language:response_language", {"language": "de"}, "Das ist gut.", ["I am here."]),
    ("language:response_language", {"language": "es"}, "Los gatos.", ["Cats sleep."]),
    ("language:response_language", {"language": "fr"}, "Je suis ici avec vous.", ["Cats sleep."]),
    ("language:response_language", {"language": "it"}, "Il gatto \u00e8 nero.", ["Cats sleep."]),
    ("language:response_language", {"language": "pt"}, "O gato n\u00e3o dorme.", ["Cats sleep."]),
    ("language:response_language", {"language": "ru"}, "Это и есть кот", ["Cats sleep."]),
    ("language:response_language", {"language": "hi"}, "यह बिल्ली है", ["Cats sleep."]),
    ("language:response_language", {"language": "vi"}, "Đây là một con mèo", ["Cats sleep."]),
    ("language:response_language", {"language": "tr"}, "Bu bir kedi", ["Cats sleep."]),
    ("language:response_language", {"language": "nl"}, "Het is een kat", ["Cats sleep."]),
    ("language:response_language", {"language": "zh"}, ZH, [ZH[:9], ZH + "a" * 50]),
    ("language:response_language", {"language": "sw"}, "\u00e9" * 10, ["habari"]),
    ("copy:repeat_phrase", {"phrase": "So it goes", "small_n": 2}, "so it goes. SO IT GOES.", ["so it goes"]),
    ("combination:two_responses", {}, "a" + SPLIT + "b", ["a", "a" + SPLIT + "a", "a" + SPLIT + " " + SPLIT + "b", "a" + SPLIT + "b" + SPLIT + "c"]),
    ("combination:two_responses", {}, SPLIT + "a" + SPLIT + "b" + SPLIT, [SPLIT + "a"]),
]  # fmt: skip


def check(name, params, text):
    spec = candidate_spec(
        "ifeval", {"constraints": [{"name": name, "params": params}], "empty_output": "grade"}
    )
    verdict = grade_candidate(spec, text, {})
    assert verdict.status == "scored"
    return verdict


@pytest.mark.parametrize(("name", "params", "passing", "failing"), TABLE, ids=[row[0] for row in TABLE])
def test_a_constraint_holds_for_one_text_and_not_for_others(name, params, passing, failing):
    verdict = check(name, params, passing)
    assert verdict.reward == 1.0, verdict.detail
    for text in failing:
        verdict = check(name, params, text)
        assert verdict.reward == 0.0, (text, verdict.detail)
        assert verdict.detail["failed"] == [name]


def test_the_table_names_every_one_of_the_forty_eight_constraints():
    assert {row[0] for row in TABLE} == set(CONSTRAINTS)
    assert len(CONSTRAINTS) == 48


WITH_PARAMS = sorted({(row[0], key) for row in TABLE for key in row[1]})
# These have a default, or another name.
OPTIONAL = {
    "relation",
    "let_relation",
    "capital_relation",
    "word_boundary",
    "keywords",
    "section_spliter",
    "section_splitter",
}


@pytest.mark.parametrize(("name", "key"), WITH_PARAMS)
def test_a_wrong_or_missing_parameter_fails_the_candidate_and_not_the_task(name, key):
    params, passing = next((row[1], row[2]) for row in TABLE if row[0] == name and key in row[1])
    for wrong in (None, [5], {}, 1.5, object):
        if key != "section_splitter":
            assert check(name, {**params, key: wrong}, passing).reward == 0.0
    if key not in OPTIONAL:
        assert (
            check(name, {other: value for other, value in params.items() if other != key}, passing).reward
            == 0.0
        )


@pytest.mark.parametrize(
    ("name", "params", "text"),
    [
        (L + "number_words", {"num_words": True}, "one"),
        (L + "number_words", {"num_words": 1, "relation": "more than"}, "one"),
        (K + "letter_frequency", {"letter": "ab", "let_frequency": 1}, "ab"),
        (K + "letter_frequency", {"letter": "", "let_frequency": 0}, "ab"),
        (K + "existence", {"keywords": [""]}, "a"),
        (K + "existence", {"keywords": [""], "word_boundary": False}, "a"),
        (K + "existence", {"keywords": "a"}, "a"),
        (K + "keyword_specific_position", {"keyword": "a", "n": 0, "m": 1}, "a"),
        (K + "keyword_specific_position", {"keyword": "a", "n": 1, "m": 0}, "a"),
        (L + "nth_paragraph_first_word", {"num_paragraphs": 1, "nth_paragraph": 0, "first_word": "a"}, "a"),
        (F + "multiple_sections", {"num_sections": 0, "section_spliter": ""}, "a"),
        ("copy:repeat_phrase", {"phrase": "", "small_n": 0}, "a"),
        (C + "postscript", {"postscript_marker": ""}, "a"),
        ("count:count_increment_word", {"keyword1": "a", "keyword2": ["b"]}, "a"),
    ],
)
def test_parameters_at_their_edges_fail(name, params, text):
    assert check(name, params, text).reward == 0.0


def test_without_keywords_there_is_nothing_to_miss():
    assert check(K + "existence", {}, "a").reward == 1.0


def test_all_constraints_are_evaluated_and_reported():
    spec = IfevalSpec(
        (Constraint("punctuation:no_comma"), Constraint(K + "palindrome"), Constraint(F + "title"))
    )
    verdict = grade_ifeval_candidate(spec, "a kayak, ok")
    assert verdict.reward == 0.0
    assert [entry["passed"] for entry in verdict.detail["constraints"]] == [False, True, False]
    assert [entry["name"] for entry in verdict.detail["constraints"]] == [
        item.name for item in spec.constraints
    ]
    assert verdict.detail["failed"] == ["punctuation:no_comma", F + "title"]


@pytest.mark.parametrize(
    "constraints",
    [
        (),
        None,
        "x",
        ("x",),
        (Constraint("unknown:name"),),
        (Constraint(5),),
        (Constraint("punctuation:no_comma", 5),),
    ],
)
def test_unusable_constraints_are_an_invalid_task(constraints):
    with pytest.raises(InvalidTask):
        validate_ifeval(IfevalSpec(constraints))
    assert grade_candidate(IfevalSpec(constraints), "a", {}).status == "invalid_task"


def test_the_registry_adds_checks_and_cannot_replace_any():
    spec = IfevalSpec((Constraint("own:short", {"limit": 3}), Constraint("punctuation:no_comma")))
    registry = {"own:short": lambda text, params: (len(text) <= params["limit"], "length")}
    assert grade_ifeval_candidate(spec, "abc", registry=registry).reward == 1.0
    assert grade_ifeval_candidate(spec, "abcd", registry=registry).reward == 0.0
    for bad in ({"punctuation:no_comma": len}, {"own:short": 5}):
        with pytest.raises(InvalidTask):
            resolve_checks(spec.constraints, bad)
    with pytest.raises(InvalidTask):
        resolve_checks(spec.constraints)


@pytest.mark.parametrize("outcome", [True, (1, "x"), (True, 1), (True,), None, (True, "x", 1), [True, "x"]])
def test_a_check_that_returns_something_else_is_an_error(outcome):
    spec = IfevalSpec((Constraint("own:odd"),))
    with pytest.raises(RuntimeError):
        grade_ifeval_candidate(spec, "a", registry={"own:odd": lambda text, params: outcome})


def test_a_check_that_raises_has_failed():
    def broken(text, params):
        raise KeyError("x" * 1000)

    verdict = grade_ifeval_candidate(IfevalSpec((Constraint("own:x"),)), "a", registry={"own:x": broken})
    assert verdict.reward == 0.0
    assert len(verdict.detail["constraints"][0]["detail"]) == 400


def test_observations_are_combined_by_all():
    text = IfevalSpec((Constraint("punctuation:no_comma"),))
    good = [({"type": "integer"}, 5), (text, "a.")]
    assert grade_instruction_observations(good).reward == 1.0
    assert grade_instruction_observations([*good, ({"type": "integer"}, "5")]).reward == 0.0
    assert grade_instruction_observations([]).status == "invalid_task"


def test_the_vocabulary():
    assert paragraphs(" a\n\nb\n \t\n\n c\nd ") == ["a", "b", " c\nd"]
    assert sentences(" A b. C! D? e ") == ["A b.", "C!", "D?", "e"]
    assert words("It's a well-known \u00e9t\u00e9, no_1") == ["It's", "a", "well-known", "t", "no", "1"]
    assert count_keyword("a-A a_a", "a") == 2
    assert contains_keyword("xax", "A", word_boundary=False)
    assert compare(1, "about", 1) is None
    with pytest.raises(TypeError):
        compare(1)


def test_a_check_is_registered_by_its_decorator():
    try:
        decorated = constraint("test:own")(lambda text, params: (True, text))
        assert CONSTRAINTS["test:own"] is decorated
    finally:
        del CONSTRAINTS["test:own"]


def test_an_answer_file_is_checked(tmp_path):
    spec = IfevalSpec((Constraint("punctuation:no_comma"),))
    assert grade(spec, tmp_path, tmp_path).detail == {"reason": "no_output"}
    (tmp_path / "answer.txt").write_text("a, b")
    assert grade(spec, tmp_path, tmp_path).reward == 0.0


@given(st.text(), st.sampled_from(TABLE))
def test_no_text_makes_a_check_raise(text, row):
    outcome = CONSTRAINTS[row[0]](text, row[1])
    assert [type(part) for part in outcome] == [bool, str]


@pytest.mark.parametrize(
    "text",
    ["\n" * 100_000, "a. " * 30_000, "*" * 100_000, "[" * 100_000, "<" * 100_000, " " * 100_000 + "x", "\n \t" * 30_000, "```" * 30_000,
     "Section " * 40_000, "kayak-" * 50_000, "* a" * 30_000, "P.S." * 70_000],
    ids=range(12),
)  # fmt: skip
def test_every_check_takes_linear_time(text):
    started = time.process_time()
    for name, params, _, _ in TABLE:
        CONSTRAINTS[name](text, params)
    assert time.process_time() - started < 10
