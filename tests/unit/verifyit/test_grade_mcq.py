import math

import pytest

from verifyit.candidate import candidate_spec, grade_candidate
from verifyit.grade import grade
from verifyit.modes.grade_mcq import (
    MAX_OPTIONS,
    LikelihoodScoring,
    LikelihoodStatistics,
    answer_letters,
    grade_mcq_candidate,
    grade_mcq_likelihoods,
    summarize_log_likelihoods,
    validate_mcq,
)
from verifyit.reward import InvalidTask
from verifyit.spec import EmptyOutputPolicy, McqSpec


@pytest.mark.parametrize(
    ("expected", "options", "candidate", "reward", "reason"),
    [
        ("D", 4, "D", 1, None),
        ("d", 4, " d\n", 1, None),
        ("D", 4, "C", 0, None),
        ("D", 4, "E", 0, "out_of_range"),
        ("E", 5, "E", 1, None),
        ("Z", 26, "z", 1, None),
        ("A", 1, "A", 1, None),
        ("A", 4, "AB", 0, "out_of_range"),
        ("A", 4, "1", 0, "out_of_range"),
        ("I", 26, "ı", 0, "out_of_range"),
        ("S", 26, "ſ", 0, "out_of_range"),
        ("A", 4, "Ａ", 0, "out_of_range"),
        ("D", 4, "Answer: D", 0, "out_of_range"),
    ],
)
def test_a_letter_is_compared(expected, options, candidate, reward, reason):
    verdict = grade_mcq_candidate(McqSpec(expected, options), candidate)
    assert (verdict.reward, verdict.detail.get("reason")) == (reward, reason)
    assert verdict.detail["expected"] == expected.upper()


def test_a_blank_letter_is_no_answer_line():
    assert grade_mcq_candidate(McqSpec("A"), " ").detail["reason"] == "no_answer_line"
    assert grade_candidate(McqSpec("A"), " ", {}).detail == {"reason": "empty_output"}
    spec = McqSpec("A", empty_output=EmptyOutputPolicy.GRADE)
    assert grade_candidate(spec, " ", {}).detail["reason"] == "no_answer_line"


@pytest.mark.parametrize(
    "bad",
    [McqSpec("E"), McqSpec(""), McqSpec("AB"), McqSpec("1"), McqSpec("ı", 26), McqSpec(None), McqSpec("A", 0),
     McqSpec("A", MAX_OPTIONS + 1), McqSpec("A", True), McqSpec("A", 4.0), McqSpec("A", None), McqSpec("A", 10**5000),
     McqSpec("A", empty_output="x")],
    ids=range(13),
)  # fmt: skip
def test_an_unusable_spec_is_refused(bad):
    with pytest.raises(InvalidTask):
        validate_mcq(bad)


def test_candidate_spec_validates_the_letter():
    with pytest.raises(InvalidTask):
        candidate_spec("mcq", {"expected": "E"})
    assert candidate_spec("mcq", {"expected": " e ", "options": 5}).options == 5


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Answer: C", ["C"]),
        ("Answer : C.", ["C"]),
        ("Answer:\n\nC", ["C"]),
        ("the Answer: B, no, Answer: C", ["B", "C"]),
        ("**Answer:** (C)", ["C"]),
        ("Answer: \\boxed{C}", ["C"]),
        ("Answer: [`C`]", ["C"]),
        ("Answer: 3", ["3"]),
        ("Answer: Answer: D", ["D"]),
        ("FinalAnswer: d", ["d"]),
        ("Answer: Cat", []),
        ("Answer: C2", []),
        ("answer: C", []),
        ("ANSWER: C", []),
        ("I choose C", []),
        (" C\n", ["C"]),
        ("c", ["c"]),
        ("3", []),
        ("é", []),
        ("", []),
    ],
)
def test_letters_are_found_after_the_word_answer(text, letters):
    assert answer_letters(text) == letters


@pytest.mark.parametrize(
    ("text", "reward", "reason"),
    [
        ("Answer: A\nAnswer: C", 1, None),
        ("Answer: C\nAnswer: A", 0, None),
        ("Answer: C\nAnswer: 3", 0, "out_of_range"),
        ("It is C", 0, "no_answer_line"),
        ("", 0, "no_output"),
    ],
)
def test_the_last_letter_of_an_answer_file_counts(tmp_path, text, reward, reason):
    (tmp_path / "answer.txt").write_text(text)
    verdict = grade(McqSpec("C"), tmp_path, tmp_path)
    assert (verdict.reward, verdict.detail.get("reason")) == (reward, reason)


def likelihoods(values, correct, policy=LikelihoodScoring.MOST_LIKELY, lengths=None):
    lengths = [1] * len(values) if lengths is None else lengths
    return grade_mcq_likelihoods(values, correct, normalization_lengths=lengths, policy=policy)


def test_the_likeliest_option_must_be_right_and_the_first_of_equals_wins():
    assert likelihoods([-1.0, -2.0], [0]).reward == 1.0
    assert likelihoods([-1.0, -1.0], [1]).reward == 0.0
    assert likelihoods([-4.0, -3.0], [0], lengths=[4, 1]).reward == 1.0
    detail = likelihoods([-1, -2], [1, 1]).detail
    assert (detail["selected_index"], detail["correct_indices"]) == (0, [1])
    assert sum(detail["probabilities"]) == pytest.approx(1.0)


def test_probability_mass_is_the_share_of_the_right_options():
    mass = LikelihoodScoring.PROBABILITY_MASS
    assert likelihoods([math.log(0.25), math.log(0.75)], [1], mass).reward == pytest.approx(0.75)
    assert likelihoods([-1e5, -1e5 - 1], [0, 1], mass).reward == 1.0
    assert likelihoods([0.1] * 10, list(range(10)), mass).reward == 1.0


@pytest.mark.parametrize(
    ("values", "correct", "lengths"),
    [([], [0], []), ([-1.0], [], [1]), ([-1.0], [1], [1]), ([-1.0], [-1], [1]), ([-1.0], [True], [1]), ([-1.0], [0.0], [1]),
     ([-1.0], [0], [0]), ([-1.0], [0], [1, 1]), ([-1.0], [0], [1.0]), ([-1.0], [0], [True]), ([math.nan], [0], [1]),
     ([True], [0], [1]), (["x"], [0], [1]), ([10**400], [0], [1]), ([-1.0], [0], [10**400])],
    ids=range(15),
)  # fmt: skip
def test_unusable_likelihoods_are_refused(values, correct, lengths):
    with pytest.raises(InvalidTask):
        likelihoods(values, correct, lengths=lengths)


def test_the_policy_must_be_one_of_the_enum():
    with pytest.raises(InvalidTask):
        likelihoods([-1.0], [0], "most_likely")


def test_log_likelihoods_are_summarized_by_the_unit():
    statistics = summarize_log_likelihoods([-math.log(2), -math.log(8)], normalization_lengths=[1, 3])
    assert isinstance(statistics, LikelihoodStatistics)
    assert statistics.mean_log_likelihood == pytest.approx(-math.log(2))
    assert statistics.perplexity == pytest.approx(2.0)
    assert statistics.bits_per_unit == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("values", "lengths"),
    [([0.1], [1]), ([], []), ([-1e300], [1]), ([-1e308, -1e308], [1, 1]), ([-1.0], [0])],
)
def test_what_cannot_be_summarized_is_refused(values, lengths):
    with pytest.raises(InvalidTask):
        summarize_log_likelihoods(values, normalization_lengths=lengths)
