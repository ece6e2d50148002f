"""The verdict: what is accepted, what is refused, and that explaining never costs a verdict."""

import json
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepgym import _printed as printed
from deepgym._judge import verdict as rules
from deepgym.protocol import (
    Verdict,
    VerdictError,
    combine_verdicts,
    parse_printed,
    parse_verdict,
    parse_verdict_json,
)


@pytest.mark.parametrize(
    ("value", "score", "passed"),
    [
        (1.0, 1.0, True),
        (0.25, 0.25, False),
        (1, 1.0, True),
        (0, 0.0, False),
        (True, 1.0, True),
        (False, 0.0, False),
        (np.float64(0.5), 0.5, False),
        (np.float32(1), 1.0, True),
        (np.int64(1), 1.0, True),
        ({"score": np.float32(0.5)}, 0.5, False),
        ({"score": 1}, 1.0, True),
        ({"score": 1.0, "passed": False}, 1.0, False),
        ({"score": 0.0, "passed": True}, 0.0, True),
    ],
)
def test_a_float_bool_or_dict_is_a_verdict(value, score, passed):
    verdict = parse_verdict(value)
    assert (verdict.score, verdict.passed) == (score, passed)
    assert type(verdict.score) is float
    assert type(verdict.passed) is bool


def test_a_score_without_passed_passes_at_the_threshold():
    assert parse_verdict(0.7, pass_threshold=0.7).passed
    assert not parse_verdict(0.69, pass_threshold=0.7).passed
    assert parse_verdict({"score": 0.7}, pass_threshold=0.7).passed
    assert not parse_verdict({"score": 0.9, "passed": False}, pass_threshold=0.7).passed


def test_minus_zero_is_zero():
    assert str(parse_verdict(-0.0).score) == "0.0"


class FakeFloat(float):
    pass


@pytest.mark.parametrize(
    "value",
    [
        None,
        "1.0",
        b"1",
        [1.0],
        (1.0, "fine"),
        pytest.param(object(), id="object"),
        1j,
        float("nan"),
        float("inf"),
        -0.1,
        1.5,
        2,
        10**400,
        FakeFloat(1.0),
        np.bool_(True),
        np.array(1.0),
        np.array([1.0]),
        np.float64("nan"),
        np.complex128(1),
        {},
        {"score": None},
        {"score": "1.0"},
        {"score": True},
        {"score": float("nan")},
        {"score": 1.0000001},
        {"score": [1.0]},
        {"passed": True},
        {"details": "fine"},
        {"score": 1.0, "passed": 1},
        {"score": 1.0, "passed": None},
        {"score": 1.0, "passed": "true"},
        {"score": 1.0, "passed": np.bool_(True)},
        {"score": 1.0, "truncated": 0},
        {"score": 1.0, "truncated": np.bool_(False)},
        {"score": 1.0, "cases": "abc"},
        {"score": 1.0, "cases": [1]},
        {"score": 1.0, "cases": [{}]},
        {"score": 1.0, "cases": [{"passed": 1}]},
        {"score": 1.0, "cases": [{"passed": np.bool_(True)}]},
        {"score": 1.0, "cases": [{"passed": True, "score": float("nan")}]},
        {"score": 1.0, "cases": [{"passed": True, "score": 2}]},
        {"cases": []},
    ],
    ids=repr,
)
def test_anything_else_is_never_a_verdict(value):
    with pytest.raises(VerdictError):
        parse_verdict(value)


def test_a_refusal_names_the_value_and_what_would_be_right():
    with pytest.raises(VerdictError, match=r"score must be in \[0, 1\], got float 1.5"):
        parse_verdict({"score": 1.5})
    with pytest.raises(
        VerdictError, match=r"passed must be True or False, got numpy\.\w+: convert it with bool"
    ):
        parse_verdict({"score": 1.0, "passed": np.bool_(True)})
    with pytest.raises(VerdictError, match=r"got bool true: convert a bool with float"):
        parse_verdict({"score": True})


def test_a_failed_case_without_a_score_counts_0_and_a_passed_one_1():
    cases = [
        {"passed": True},
        {"id": "b", "passed": False},
        {"id": 7, "score": 0.5},
        {"id": "d", "score": 1.0},
    ]
    verdict = parse_verdict({"cases": cases})
    assert [(case.id, case.passed, case.score) for case in verdict.cases] == [
        ("case_0", True, 1.0),
        ("b", False, 0.0),
        ("7", False, 0.5),
        ("d", True, 1.0),
    ]
    assert verdict.score == 2.5 / 4
    assert not verdict.passed


def test_a_verdict_keeps_what_it_says():
    said = {
        "schema_version": "1.0",
        "score": 0.5,
        "passed": False,
        "details": "half",
        "cases": [{"id": "a", "passed": False, "error": "E", "input_summary": [1], "actual_summary": None}],
        "seed": np.int64(7),
        "reward_components": {"a": 0.5, "b": -3, "c": np.float32(2)},
        "metrics": {"n": 3, "words": ["x"], "deep": {"y": None}, 1: True},
        "truncated": True,
        "error_type": "wrong_answer",
        "unknown": "ignored",
    }
    verdict = parse_verdict(said)
    assert (verdict.details, verdict.seed, verdict.truncated, verdict.error_type) == (
        "half",
        7,
        True,
        "wrong_answer",
    )
    assert verdict.reward_components == {"a": 0.5, "b": -3.0, "c": 2.0}
    assert verdict.metrics == {"n": 3, "words": ["x"], "deep": {"y": None}, "1": True}
    assert verdict.cases[0].input_summary == "[1]"
    assert verdict.cases[0].actual_summary is None


class Unprintable:
    def __repr__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "extra",
    [
        {"details": {"a": [1, object()]}},
        {"details": Unprintable()},
        {"details": 5},
        {"metrics": "fast"},
        {"metrics": {"a": float("nan"), "b": Unprintable(), "c": 10**9999, "d": np.float64("inf")}},
        {"reward_components": [1]},
        {
            "reward_components": {
                "a": float("nan"),
                "b": "1",
                "c": 10**400,
                **{f"x{i}": None for i in range(20)},
            }
        },
        {"reward_components": None, "metrics": None, "seed": None, "error_type": None, "details": None},
        {"seed": "today"},
        {"seed": True},
        {"error_type": ["odd"]},
        {"schema_version": 99},
    ],
)
def test_what_only_explains_never_erases_the_verdict(extra):
    verdict = parse_verdict({"score": 1.0, "passed": True, **extra})
    assert verdict.score == 1.0
    assert verdict.passed
    json.dumps([verdict.metrics, verdict.reward_components, verdict.details, verdict.seed], allow_nan=False)


def test_a_component_that_is_no_number_is_left_out_and_said():
    verdict = parse_verdict({"score": 1.0, "reward_components": {"a": float("inf"), "b": 1}, "details": "ok"})
    assert verdict.reward_components == {"b": 1.0}
    assert verdict.details == "ok\n[reward component 'a' is not a finite number and was left out]"


def test_a_cyclic_metric_ends():
    loop = []
    loop.append(loop)
    loop.append({"x": loop})
    assert parse_verdict({"score": 1.0, "metrics": {"loop": loop}, "details": loop}).score == 1.0


def test_texts_and_cases_are_cut_to_size():
    cases = [{"passed": False, "error": "e" * 100_000, "id": "i" * 999} for _ in range(rules.MAX_CASES + 5)]
    said = {"score": 0.0, "details": "d" * 10**6, "cases": cases, "metrics": {"m" * 999: "v" * 10**6}}
    normal = rules.read_verdict(said)
    assert len(normal["cases"]) == rules.MAX_CASES
    assert len(normal["details"]) <= rules.MAX_DETAILS_CHARS
    assert normal["details"].endswith("[5 more cases are not shown]")
    assert len(normal["cases"][0]["error"]) == rules.MAX_SUMMARY_CHARS
    assert normal["cases"][0]["error"].endswith("[cut, 100000 characters]")
    assert sum(len(case.get("error", "")) for case in normal["cases"]) <= rules.MAX_CASES_CHARS
    assert len(json.dumps(normal)) < 6_000_000


def test_metrics_are_bounded_in_all_directions():
    wide = {str(i): list(range(5_000)) for i in range(5_000)}
    deep = current = {}
    for _ in range(500):
        current["x"] = {}
        current = current["x"]
    metrics = parse_verdict(
        {"score": 1.0, "metrics": {"wide": wide, "deep": deep, "big": 1 << 5_000}}
    ).metrics
    assert len(json.dumps(metrics)) < 2_000_000
    assert metrics["big"] == "an int of 5001 bits"


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
CASE = st.dictionaries(st.sampled_from(["id", "passed", "score", "error", "input_summary"]), JSON_LIKE)
GOOD_CASE = st.fixed_dictionaries(
    {"passed": st.booleans()}, optional={"score": st.floats(0, 1), "error": JSON_LIKE}
)
VERDICT = st.fixed_dictionaries(
    {"score": st.floats(0, 1) | JSON_LIKE},
    optional={
        "passed": st.booleans() | JSON_LIKE,
        "cases": st.lists(GOOD_CASE, max_size=4) | st.lists(CASE, max_size=3) | JSON_LIKE,
        "details": JSON_LIKE,
        "metrics": JSON_LIKE,
        "reward_components": JSON_LIKE,
        "seed": JSON_LIKE,
        "truncated": st.booleans() | JSON_LIKE,
        "error_type": JSON_LIKE,
    },
)


@given(value=JSON_LIKE | VERDICT)
def test_any_value_is_a_verdict_or_its_one_error_and_the_normal_form_is_a_fixed_point(value):
    try:
        normal = rules.read_verdict(value)
    except VerdictError:
        return
    assert 0.0 <= normal["score"] <= 1.0
    again = json.loads(json.dumps(normal, allow_nan=False))
    assert again == normal
    assert rules.read_verdict(again) == normal
    assert isinstance(parse_verdict(again), Verdict)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"score": 1.0, "score": 1.0}', "names 'score' twice"),
        ('{"score": 1.0, "metrics": {"a": 1, "a": 2}}', "names 'a' twice"),
        ('{"score": NaN}', "NaN"),
        ('{"score": Infinity}', "Infinity"),
        ('{"score": 1.0, "metrics": {"a": -Infinity}}', "-Infinity"),
        ('{"score": 1e999}', "1e999"),
        ('{"score": 1_0}', "not JSON"),
        ("{'score': 1.0}", "not JSON"),
        ("", "not JSON"),
        ('{"score": 1.0} {"score": 0}', "not JSON"),
        ('{"score": 1.0, "x": ' + "[" * 100_000 + "]" * 100_000 + "}", "too deeply"),
        ('{"score": ' + "9" * 5_000 + "}", "not JSON"),
        ('"1.0"', "number"),
    ],
)
def test_json_is_read_strictly(text, why):
    with pytest.raises(VerdictError, match=why):
        parse_verdict_json(text)


def test_a_printed_verdict_is_found_among_messages():
    stdout = 'starting\n{"epoch": 1}\n{broken}\n{not json\r\n{"score": 0.5, "details": "a\u2028b"}\r\nbye\n'
    verdict = parse_printed(stdout)
    assert (verdict.score, verdict.details) == (0.5, "a\u2028b")


@pytest.mark.parametrize(
    "stdout",
    ["", "\n", "1.0\n", "true", '["score"]', '{"score": 1.0, "pas', '{score "score"}', '{"a": "score"}'],
)
def test_output_without_a_verdict_has_none(stdout):
    assert parse_printed(stdout) is None


def test_one_indented_object_may_be_the_whole_output():
    assert (
        parse_printed(json.dumps({"score": 0.5, "cases": [{"passed": True}]}, indent=2) + "\n").score == 0.5
    )


def test_of_several_printed_verdicts_the_lowest_score_counts_and_passed_needs_all():
    low, high = '{"score": 0.0, "passed": false, "details": "low"}', '{"score": 1.0, "passed": true}'
    for stdout in (f"{low}\n{high}", f"{high}\n{low}", f"{high}\n{low}\n{high}"):
        verdict = parse_printed(stdout)
        assert (verdict.score, verdict.passed, verdict.details) == (0.0, False, "low")
    verdict = parse_printed('{"score": 0.5, "passed": true}\n{"score": 0.9, "passed": false}')
    assert (verdict.score, verdict.passed) == (0.5, False)


def test_a_malformed_verdict_line_beside_a_good_one_is_not_passed_over():
    for bad in ('{"score": NaN}', '{"score": 1.0, "score": 1.0}', '{"score": 2}', '{"passed": 1}'):
        with pytest.raises(VerdictError):
            parse_printed(f'{{"score": 1.0, "passed": true}}\n{bad}')


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "glue", ["", "x", "{", '  {"score": ', "x\n", "}\n", '{"score": 1.0, "passed": true}']
)
@pytest.mark.parametrize("after", ["", '{"score": 1.0, "passed": true}\n', "}\n"])
def test_an_echo_around_a_verdict_cannot_win(indent, glue, after):
    said = json.dumps({"score": 0.0, "passed": False, "metrics": {"a": {"b": 1}}}, indent=indent)
    stdout = f'{{"score": 1.0, "passed": true}}\n{glue}{said}\n{after}'
    assert parse_printed(stdout).score == 0.0


def test_a_verdict_laid_out_by_hand_ends_an_output():
    said = '{"score": 0.0,\n "passed": false}\n'
    assert parse_printed(said).score == 0.0
    assert parse_printed('{"score": 1.0, "passed": true}\nx' + said).score == 0.0


def test_text_before_a_verdict_on_its_line_costs_no_honest_answer():
    assert parse_printed('42{"score": 1.0, "passed": true}\n').score == 1.0
    assert parse_printed('case 1: {"score": 0.0}\n{"score": 0.5}\n').score == 0.5
    assert parse_printed('{"rows": {"score": 1}}\n{"score": 0.5}\n').score == 0.5


@pytest.mark.parametrize(
    "echo",
    [
        "{" * 2_000_000 + '"score"}',
        '{"score": [' + "[]," * 1_000_001 + "0]}",
        ('{"a": [1, ' * 900) + "1," * 300_000 + '"score"}',
        '{"score": 1, "a": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{\n"score":\n}\n' * 50_000,
        '"score"' + "}\n" * 500_000,
    ],
)
def test_an_echo_that_is_made_to_be_slow_to_read_costs_little_and_wins_nothing(echo):
    begun = time.process_time()
    try:
        assert parse_printed(f'{echo}\n{{"score": 0.0}}').score == 0.0
    except VerdictError:
        pass
    assert time.process_time() - begun < 10


def test_a_flood_of_verdict_lines_is_refused():
    line = '{"score": 1.0}\n'
    assert parse_printed(line * printed.MAX_PRINTED).score == 1.0
    with pytest.raises(VerdictError, match="more than"):
        parse_printed(line * (printed.MAX_PRINTED + 1))


def test_combining_keeps_the_lowest():
    a, b = Verdict(0.5, passed=True, details="a"), Verdict(0.7, passed=False, details="b")
    assert combine_verdicts([a, b]) == Verdict(0.5, passed=False, details="a")
    assert combine_verdicts([b]) == b
