import math

import pytest

from verifyit.candidate import candidate_spec, grade_candidate
from verifyit.grade import grade
from verifyit.modes.grade_exact import (
    grade_collection_f1,
    grade_collection_precision_interval,
    grade_collection_subset,
    grade_exact_candidate,
    validate_exact,
)
from verifyit.reward import InvalidTask
from verifyit.spec import EmptyOutputPolicy, ExactSpec


def reward(expected, candidate, **options):
    return grade_candidate(candidate_spec("exact", {"expected": expected, **options}), candidate, {}).reward


@pytest.mark.parametrize(
    ("expected", "candidate", "options", "passes"),
    [
        ("Helsinki", " helsinki\n", {}, True),
        ("straße", "STRASSE", {}, True),
        ("ὀδός", "ὈΔΌΣ", {}, True),
        ("a b", "a\u00a0\n b", {}, True),
        ("ab", "a\u200bb", {}, False),
        ("a", "\ufeffa", {}, False),
        ("é", "e\u0301", {}, False),
        ("1", "1.0", {}, False),
        ("a  b", "a b", {"ignore_whitespace": False}, False),
        (" a ", "a", {"ignore_whitespace": False}, True),
        (" a", "  a", {"strip_outer_whitespace": False}, True),
        (" a", "a", {"strip_outer_whitespace": False}, False),
        ("A", "a", {"ignore_case": False}, False),
        ("cat", "concatenate", {"substring": True}, True),
        ("cat", "the Cat\n", {"substring": True}, True),
        ("a b", "xa   bx", {"substring": True}, True),
        ("dog", "cat", {"substring": True}, False),
        (["a", "b"], "a,b", {}, True),
        (["a", "b"], "A\n\n b ,", {}, True),
        (["a", "b"], "b,a", {}, False),
        (["a", "b"], "b,a", {"ordered": False}, True),
        (["a", "a", "b"], "a,b,a", {"ordered": False}, True),
        (["a", "a", "b"], "a,b", {"ordered": False}, False),
        (["a", "b"], "a", {}, False),
        (["a", "b"], "a，b", {}, False),
        ("a,b", "a,b", {}, True),
        ("5", "\\boxed{5}", {}, False),
        ("", "", {}, False),
        ("", "", {"empty_output": "grade"}, True),
        ("", "  ", {"empty_output": "grade"}, True),
    ],
)
def test_texts_match_after_normalization(expected, candidate, options, passes):
    assert reward(expected, candidate, **options) == float(passes)


@pytest.mark.parametrize(
    "bad",
    [
        ExactSpec(()),
        ExactSpec("abc"),
        ExactSpec({"a"}),
        ExactSpec(None),
        ExactSpec((1,)),
        ExactSpec(("a",), ignore_case=1),
        ExactSpec(("a",), ignore_whitespace="true"),
        ExactSpec(("a",), ordered=None),
        ExactSpec(("a",), strip_outer_whitespace=0),
        ExactSpec(("a",), substring=1),
        ExactSpec(("a", "b"), substring=True),
        ExactSpec((" ",), substring=True),
        ExactSpec(("a", "")),
        ExactSpec(("a", "b,c")),
        ExactSpec(("a", "b\nc")),
        ExactSpec(("a",), empty_output="zero"),
    ],
)
def test_a_spec_that_nothing_can_be_graded_by_is_refused(bad):
    with pytest.raises(InvalidTask):
        validate_exact(bad)
    with pytest.raises(InvalidTask):
        grade_exact_candidate(bad, "a")
    assert grade_candidate(bad, "a", {}).status == "invalid_task"


def test_the_detail_shows_at_most_400_characters():
    verdict = grade_exact_candidate(ExactSpec(("a", "b")), " " + "x" * 1000)
    assert verdict.detail == {"extracted": "x" * 400, "expected": ["a", "b"]}


def test_a_blank_candidate_says_so():
    assert grade_exact_candidate(ExactSpec(("a",)), " ").detail == {"reason": "empty_output"}
    graded = ExactSpec(("a",), empty_output=EmptyOutputPolicy.GRADE)
    assert grade_exact_candidate(graded, " ").detail["extracted"] == ""


@pytest.mark.parametrize(
    ("text", "shown", "passes"),
    [
        ("so \\boxed{42} it is", "42", True),
        ("\\boxed{41} is 42", "41", False),
        ("42", "42", True),
        ("\\boxed{42", "\\boxed{42", False),
        ("\\boxed{x} \\boxed{42}", "42", True),
    ],
)
def test_an_answer_file_may_hold_its_answer_in_a_box(tmp_path, text, shown, passes):
    (tmp_path / "answer.txt").write_text(text)
    verdict = grade(ExactSpec(("42",)), tmp_path, tmp_path)
    assert (verdict.reward, verdict.detail["extracted"]) == (float(passes), shown)


def test_a_box_in_the_reference_is_matched_by_the_whole_text_and_the_detail_says_so(tmp_path):
    (tmp_path / "answer.txt").write_text("\\boxed{42}")
    verdict = grade(ExactSpec(("\\boxed{42}",)), tmp_path, tmp_path)
    assert (verdict.reward, verdict.detail["extracted"]) == (1.0, "\\boxed{42}")


def test_a_missing_answer_file_has_no_output(tmp_path):
    assert grade(ExactSpec(("42",)), tmp_path, tmp_path).detail == {"reason": "no_output"}
    assert grade(ExactSpec(()), tmp_path, tmp_path).status == "invalid_task"


def f1(reference, candidate, **options):
    settings = {"multiplicity": "set", "empty_reference": "zero", "round_digits": None, **options}
    return grade_collection_f1(reference, candidate, **settings)


def test_f1_is_twice_the_overlap_over_both_sizes():
    verdict = f1(["a", "b", "c"], ["a", "a", "x"])
    assert verdict.reward == 2 / 5
    assert verdict.detail == {"overlap": 1, "reference_count": 3, "candidate_count": 2}
    assert f1(["a", "a"], ["a"], multiplicity="multiset").reward == 2 / 3
    assert f1({"a"}, ("a",)).reward == 1.0
    assert f1(["a", "b"], ["b", "x", "y", "z"], round_digits=2).reward == 0.33
    assert f1([], ["a"]).reward == 0.0
    assert f1(["a"], []).reward == 0.0
    assert f1([], []).reward == 0.0


BAD_ITEMS = ["text", b"bytes", None, 5, [1], ["a", None], ["a"] * 10_001, ["a" * 1_000_001], iter(["a"])]


@pytest.mark.parametrize("items", BAD_ITEMS, ids=range(len(BAD_ITEMS)))
def test_malformed_items_are_their_owners_fault(items):
    interval = {
        "minimum_percent": 0,
        "maximum_percent": 100,
        "multiplicity": "set",
        "empty_reference": "zero",
    }
    graders = [
        f1,
        lambda reference, candidate: grade_collection_subset(reference, candidate, item_credit=0.0),
        lambda reference, candidate: grade_collection_precision_interval(reference, candidate, **interval),
    ]
    for grader in graders:
        with pytest.raises(InvalidTask):
            grader(items, ["a"])
        verdict = grader(["a"], items)
        assert (verdict.reward, verdict.detail["reason"]) == (0.0, "invalid_candidate")


@pytest.mark.parametrize(
    "options",
    [
        {"multiplicity": "bag"},
        {"empty_reference": "one"},
        {"round_digits": 7},
        {"round_digits": -1},
        {"round_digits": True},
        {"round_digits": 1.0},
    ],
)
def test_unknown_options_of_f1_are_refused(options):
    with pytest.raises(InvalidTask):
        f1(["a"], ["a"], **options)


def test_an_empty_reference_may_be_an_invalid_task():
    with pytest.raises(InvalidTask):
        f1([], ["a"], empty_reference="invalid")


@pytest.mark.parametrize(
    ("candidate", "reward"),
    [
        (["a", "b", "c"], 1.0),
        (["c", "b", "a", "a"], 1.0),
        (["a"], 0.25),
        (["a", "b"], 0.5),
        ([], 0.0),
        (["a", "x"], 0.0),
    ],
)
def test_a_subset_earns_credit_by_item(candidate, reward):
    assert grade_collection_subset(["a", "b", "c"], candidate, item_credit=0.25).reward == reward


@pytest.mark.parametrize(
    ("reference", "credit"),
    [([], 0.1), (["a", ""], 0.1), (["a"], 1.1), (["a"], -0.1), (["a"], math.nan), (["a"], True), (["a"], None),
     (["a", "b", "c"], 0.6), (["a"], 10**400)],
)  # fmt: skip
def test_an_unusable_subset_task_is_refused(reference, credit):
    with pytest.raises(InvalidTask):
        grade_collection_subset(reference, ["a"], item_credit=credit)


def interval(reference, candidate, low, high, **options):
    settings = {"multiplicity": "multiset", "empty_reference": "zero", **options}
    return grade_collection_precision_interval(
        reference, candidate, minimum_percent=low, maximum_percent=high, **settings
    ).reward


def test_precision_must_lie_in_the_closed_interval():
    assert interval(["a", "b"], ["a", "x"], 50, 60) == 1.0
    assert interval(["a", "b"], ["a", "x"], 50.1, 60) == 0.0
    assert interval(["a"], ["a", "a"], 50, 50) == 1.0
    assert interval(["a"], ["a", "a"], 100, 100, multiplicity="set") == 1.0
    assert interval(["a"], [], 0, 100) == 0.0
    assert interval([], ["a"], 0, 100) == 1.0
    # The quotient is formed first: 29 of 50, scaled, is just under 58.
    assert interval(["a"] * 29, ["a"] * 29 + ["x"] * 21, 58, 100) == 0.0


@pytest.mark.parametrize(("low", "high"), [(2, 1), (math.nan, 1), (0, math.inf), (None, 1), (True, 1)])
def test_unusable_bounds_are_refused(low, high):
    with pytest.raises(InvalidTask):
        interval(["a"], ["a"], low, high)
