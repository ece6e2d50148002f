import math
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.candidate import candidate_spec, grade_candidate
from verifyit.grade import numeric_tolerance
from verifyit.modes.grade_math import (
    grade_numeric_candidate,
    grade_numeric_candidate_float,
    grade_numeric_text_candidate,
    grade_regression_candidate,
)
from verifyit.numeric import (
    MAX_LITERAL_CHARACTERS,
    MAX_NUMERIC_DIGITS,
    NumericCandidateError,
    extract_numeric_candidate,
    numeric_literal,
)
from verifyit.reward import InvalidTask
from verifyit.spec import NumericSpec


def spec(expected="42", tolerance_abs=0.0, tolerance_rel=0.0):
    return NumericSpec(expected, tolerance_abs, tolerance_rel)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42), (" 42\n", 42), ("+42", 42), ("-42", -42), ("007", 7), ("1,234", 1234), ("12,345,678.5", "12345678.5"),
        ("4.", 4), (".5", "0.5"), ("-.5", "-0.5"), ("1e3", 1000), ("1E+3", 1000), ("1.5e-3", "0.0015"), ("1e00005", 100000),
        ("1/2", "1/2"), ("1 / 2", "1/2"), ("-1/-2", "1/2"), ("+1,000/4", 250), ("0/5", 0), ("0e9", 0), ("1e4095", 10**4095),
        ("1" * 4096, int("1" * 4096)), ("1" * 4096 + "/3", Fraction(int("1" * 4096), 3)),
    ],
)  # fmt: skip
def test_a_literal_has_its_exact_value(text, value):
    assert numeric_literal(text) == Fraction(value)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "x", "1,00", "1,234567", "12,34", "1234,567", ",123", "1 000", "1_000", "0x2A", "1e", "e5", ".", "+", "1.2.3",
        "1/0", "1/2.0", "1/2/3", "1.5/2", "/2", "1/", "nan", "inf", "Infinity", "\u0664\u0662", "\u00bd", "1e99999", "1e4096",
        "1" * 4097, "1/" + "1" * 4097, "1" * (MAX_LITERAL_CHARACTERS + 1), "--1", "+-1", "1 2", "42%", "$42", "1e5.5",
    ],
)  # fmt: skip
def test_anything_else_is_no_literal(text):
    with pytest.raises(ValueError):
        numeric_literal(text)


def test_the_limits_are_those_of_the_contract():
    assert (MAX_NUMERIC_DIGITS, MAX_LITERAL_CHARACTERS) == (4096, 10_954)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42), ("42.", 42), ("42..", 42), ("42...", 42), ("(42)", 42), ("**42**", 42), ("$42", 42), ("42%", 42),
        ("42 km/h", 42), ("answer=42;", 42), ("Definitely not 42", 42), ("It is -5", -5), ("twenty-5", 5),
        ("about 1,234.5 in all", "1234.5"), ("so 1/2", "1/2"), ("1 / 2", "1/2"), ("x: -1/-2", "1/2"), ("12 /", 12),
        ("first 1\nthen 2\n\n", 2), ("\u22125", -5), ("it is \u20135", -5), ("\u0665 and 5", 5), ("42\u2026", 42),
        ("\\boxed{17}\n99", 17), ("\\boxed{$17$}", 17), ("\\boxed{\\(17\\)}", 17), ("\\boxed{$$17$$}", 17),
        ("\\boxed{\\[ $17$ \\]}", 17), ("\\boxed{1} \\boxed{ 2 }", 2), ("\\boxed{\u22127}", -7), ("42, that is", 42),
        ("the value -.5", "-0.5"), ("n = 1e3", 1000), ("4,", 4), ("gap\u201442", 42),
    ],
)  # fmt: skip
def test_a_text_gives_its_one_number(text, value):
    assert extract_numeric_candidate(text) == Fraction(value)


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "seventeen", "12 or 13", "2 + 2", "42 42", "12:30", "2024-01-31", "1,00", "1,234567", "1 000", "1_000", "0x2A",
        "value42", "42x", "42/km", "1/2/3", "3.5.1", "1e", "1/0", "1/2.0", "\u0664\u0662", "x-5", "y\u22125", "42...5", "42.x",
        "42 v1.5", "3\u20135", "\\boxed{\\frac{1}{2}}", "\\boxed{{17}}", "\\boxed{x=17}", "\\boxed{17 apples}",
        "\\boxed{\\$17}", "\\boxed{1{,}000}", "\\boxed{}", "\\boxed{17", "\\boxed{17} \\boxed{", "17 \\boxed{x}", "1e99999", "1" * 5000,
    ],
)  # fmt: skip
def test_other_texts_give_none(text):
    with pytest.raises(NumericCandidateError):
        extract_numeric_candidate(text)


def test_the_error_of_a_candidate_is_a_value_error():
    assert issubclass(NumericCandidateError, ValueError)


@given(st.fractions())
def test_every_fraction_reads_back(value):
    assert numeric_literal(str(value)) == value
    assert extract_numeric_candidate(f"The answer is {value}.") == value


@given(st.text(alphabet="0123456789.,/-+eE \nx$\\boxed{}\u2212"))
def test_a_text_gives_a_number_or_its_error(text):
    try:
        assert isinstance(extract_numeric_candidate(text), Fraction)
    except NumericCandidateError:
        assert True


@pytest.mark.parametrize(
    "text",
    ["1" * 500_000, "1," * 200_000, "1,111" * 100_000, "1 " * 200_000, "1" + " " * 400_000 + "2", "-" * 400_000,
     "." * 400_000, "1/" * 200_000, "1e" * 200_000, "1" + "." * 400_000, "1 2 /" + " " * 400_000, "1,111," * 80_000 + "1x"],
    ids=range(12),
)  # fmt: skip
def test_a_hostile_line_takes_linear_time(text):
    started = time.process_time()
    with pytest.raises(NumericCandidateError):
        extract_numeric_candidate(text + "x")
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("expected", "tolerance_abs", "tolerance_rel", "text", "reward"),
    [
        ("100", 0.5, 0.0, "100.5", 1), ("100", 0.5, 0.0, "100.50000001", 0), ("100", 0.0, 0.01, "101", 1),
        ("100", 0.0, 0.01, "101.0001", 0), ("-100", 0.0, 0.01, "-99", 1), ("0", 0.0, 1.0, "0.1", 0), ("0", 0.1, 0.0, "0.1", 1),
        ("0.3", 0.1, 0.0, "0.4", 1), ("1", 1e-07, 0.0, "1.0000001", 1), ("1", 1e-07, 0.0, "1.00000011", 0), ("1/3", 0, 0, "1/3", 1),
        ("1/3", 0, 0, "0.3333333333", 0), ("1e308", 0, 0, "1e308", 1), ("5", 0, 0, "-5", 0), ("5", 0, 0, "\u22125", 0),
    ],
)  # fmt: skip
def test_the_tolerance_is_exact_and_inclusive(expected, tolerance_abs, tolerance_rel, text, reward):
    assert grade_numeric_text_candidate(spec(expected, tolerance_abs, tolerance_rel), text).reward == reward


def test_the_detail_shows_both_sides():
    verdict = grade_numeric_text_candidate(spec("0.50", 0.25, 0.0), "1/2")
    assert verdict.detail == {
        "extracted": "1/2",
        "expected": "0.50",
        "tolerance_abs": 0.25,
        "tolerance_rel": 0.0,
    }
    malformed = grade_numeric_text_candidate(spec(), "x")
    assert malformed.detail["reason"] == "invalid_numeric_candidate"
    assert malformed.detail["error"]


@pytest.mark.parametrize(
    "bad",
    [spec("x"), spec(42), spec(None), spec("42", -1.0), spec("42", math.nan), spec("42", 0.0, math.inf), spec("42", True),
     spec("42", 0.0, None), spec("42", "1"), spec("42", 10**400), NumericSpec("42", 0.0, 0.0, empty_output="zero")],
    ids=range(11),
)  # fmt: skip
def test_an_unusable_contract_is_an_invalid_task_before_the_candidate_is_read(bad):
    assert grade_candidate(bad, "not a number", {}).status == "invalid_task"
    with pytest.raises(InvalidTask):
        grade_numeric_candidate(bad, Fraction(1))


def test_a_native_number_is_not_an_expected_literal():
    with pytest.raises(ValueError):
        candidate_spec("numeric", {"expected": 42, "tolerance_abs": 0, "tolerance_rel": 0})


def test_the_tolerance_is_the_larger_of_both():
    assert numeric_tolerance(spec("-200", 1.0, 0.01)) == 2
    assert numeric_tolerance(spec("10", 0.01, 0.0)) == Fraction(1, 100)
    assert numeric_tolerance(spec("10", 3, 0)) == 3


@pytest.mark.parametrize("value", [1, 1.0, "1", None, True])
def test_a_direct_value_must_be_a_fraction(value):
    with pytest.raises(TypeError):
        grade_numeric_candidate(spec(), value)


@pytest.mark.parametrize(
    ("expected", "value", "tolerance", "reward"),
    [(1.0, 1.0, 0.0, 1), (1.0, 1.5, 0.5, 1), (1.0, 1.6, 0.5, 0), (0.3, 0.1 + 0.2, 0.0, 0), (1, 1, 0, 1)],
)
def test_floats_are_compared_as_floats(expected, value, tolerance, reward):
    assert grade_numeric_candidate_float(expected, value, tolerance_abs=tolerance).reward == reward


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf, 10**400, "1", True])
def test_a_candidate_that_is_no_finite_float_scores_zero(value):
    verdict = grade_numeric_candidate_float(1.0, value, tolerance_abs=0.0)
    assert (verdict.reward, verdict.detail) == (0.0, {"reason": "nonfinite_candidate"})


@pytest.mark.parametrize(
    ("expected", "tolerance"),
    [(math.nan, 0.0), (math.inf, 0.0), (1.0, -1.0), (1.0, math.nan), (True, 0.0), (10**400, 0)],
)
def test_an_unusable_float_reference_is_an_invalid_task(expected, tolerance):
    with pytest.raises(InvalidTask):
        grade_numeric_candidate_float(expected, 1.0, tolerance_abs=tolerance)


GROUPS = [[[1.0, 10.0], [2.0, 20.0]], [[3.0, 30.0]]]


def test_a_perfect_regression_explains_everything():
    verdict = grade_regression_candidate(GROUPS, GROUPS, variance_floor=0.0)
    assert (verdict.reward, verdict.detail) == (1.0, {"nmse": 0.0, "nmae": 0.0, "r2": 1.0})


def test_predicting_the_mean_explains_nothing_and_worse_is_still_zero():
    mean = [[[2.0, 20.0], [2.0, 20.0]], [[2.0, 20.0]]]
    verdict = grade_regression_candidate(GROUPS, mean, variance_floor=0.0)
    assert verdict.reward == pytest.approx(0.0)
    assert verdict.detail["nmse"] == pytest.approx(1.0)
    far = [[[200.0, 0.0], [0.0, 0.0]], [[0.0, 0.0]]]
    verdict = grade_regression_candidate(GROUPS, far, variance_floor=0.0)
    assert verdict.reward == 0.0
    assert verdict.detail["r2"] < 0


@pytest.mark.parametrize(
    "bad",
    [None, [], "x", [[]], [[[]]], [[[1.0, 2.0], [1.0]]], [[[1.0, math.nan]]], [[[1.0, True]]], [[["1"]]], [[1.0]], 5, [[[10**400]]],
     [[[1.0], [2.0]], [[1.0, 2.0]]]],
    ids=range(13),
)  # fmt: skip
def test_a_malformed_side_of_a_regression_is_its_owners_fault(bad):
    with pytest.raises(InvalidTask):
        grade_regression_candidate(bad, GROUPS, variance_floor=0.0)
    verdict = grade_regression_candidate(GROUPS, bad, variance_floor=0.0)
    assert (verdict.reward, verdict.detail) == (0.0, {"reason": "invalid_predictions"})


@pytest.mark.parametrize("floor", [-1.0, math.nan, math.inf, None, True])
def test_an_unusable_floor_is_an_invalid_task(floor):
    with pytest.raises(InvalidTask):
        grade_regression_candidate(GROUPS, GROUPS, variance_floor=floor)


def test_a_constant_column_has_no_score():
    constant = [[[1.0], [1.0]]]
    verdict = grade_regression_candidate(constant, constant, variance_floor=0.0)
    assert verdict.detail == {"reason": "undefined_variance"}


def test_values_beyond_floats_are_refused_on_either_side():
    huge = [[[1e308], [-1e308]]]
    with pytest.raises(InvalidTask):
        grade_regression_candidate(huge, huge, variance_floor=0.0)
    verdict = grade_regression_candidate([[[1.0], [2.0]]], huge, variance_floor=0.0)
    assert verdict.detail == {"reason": "invalid_predictions"}
