"""structured_exact, predicted_action, unsolvable and the equality of JSON values beneath them."""

import itertools
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.candidate import candidate_spec, grade_candidate, grade_ejection_candidate
from verifyit.grade import grade
from verifyit.json_comparison import NumericTypePolicy, json_values_equal
from verifyit.json_objects import decode_unique, json_problem, unique_object
from verifyit.modes.grade_predicted_action import parse_calls, validate_predicted_action
from verifyit.modes.grade_structured_exact import validate_structured_exact
from verifyit.reward import InvalidTask
from verifyit.spec import (
    EmptyOutputPolicy,
    ExactSpec,
    FunctionCall,
    McqSpec,
    PredictedActionSpec,
    ScriptSpec,
    StructuredExactSpec,
    UnsolvableSpec,
)

STRICT = NumericTypePolicy.STRICT


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("left", "right", "value", "strict"),
    [
        (1, 1, True, True), (1, 1.0, True, False), (2**53 + 1, float(2**53), False, False), (True, 1, False, False),
        (0, False, False, False), (1.0, True, False, False), ("1", 1, False, False), (None, None, True, True),
        (None, False, False, False), ("é", "e\u0301", False, False), ([1, 2], [2, 1], False, False), ([1], [1, 1], False, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True, True), ({"a": None}, {}, False, False), ({}, {"a": None}, False, False),
        ({"a": [1]}, {"a": [1.0]}, True, False), ({"a": 1}, {"b": 1}, False, False), (math.nan, math.nan, False, False), (-0.0, 0.0, True, True), (0, -0.0, True, False),
        ([], {}, False, False), ([], [], True, True), ((1,), (1,), False, False), ([1], (1,), False, False), (10**400, 1e308, False, False),
    ],
)  # fmt: skip
def test_equality_of_json_values(left, right, value, strict):
    assert json_values_equal(left, right) is value
    assert json_values_equal(left, right, numeric_types=STRICT) is strict


@pytest.mark.parametrize(
    ("left", "right", "tolerance", "equal"),
    [(1.0, 1.5, 0.5, True), (1.0, 1.6, 0.5, False), (1, 2, 5.0, False), (1, 1.0, 5.0, True), (1.0, 2, 5.0, False),
     (math.nan, 1.0, 5.0, False), (math.inf, math.inf, 0.1, True), ([1.0], [1.1], 0.2, True), (1.0, 1.0, 0.0, True)],
)  # fmt: skip
def test_a_tolerance_is_for_pairs_of_floats(left, right, tolerance, equal):
    assert json_values_equal(left, right, tolerance) is equal


def test_depth_and_loops_are_no_obstacle():
    assert json_values_equal(nested(100_000), nested(100_000))
    assert not json_values_equal(nested(100_000), nested(99_999))
    loop = []
    loop.append(loop)
    assert not json_values_equal(nested(50), loop)


class Hostile(str):
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True


def test_a_foreign_equality_is_never_asked():
    assert not json_values_equal("a", Hostile("b"))
    assert not json_values_equal({"a": 1}, {Hostile("a"): 1})
    call = FunctionCall(Hostile("x"), {})
    spec = PredictedActionSpec((FunctionCall("f", {}),))
    assert grade_candidate(spec, (call,), {}).reward == 0.0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(JSON)
def test_a_value_equals_its_decoded_text_and_is_plain_json(value):
    assert json_values_equal(value, decode_unique(json.dumps(value)), numeric_types=STRICT)
    assert json_problem(value) is None


def test_duplicate_keys_are_refused():
    assert unique_object([("a", 1), ("b", 2)]) == {"a": 1, "b": 2}
    with pytest.raises(ValueError, match="'a'"):
        unique_object([("b", 0), ("a", 1), ("a", 2)])


@pytest.mark.parametrize(
    "text", ["NaN", "[Infinity]", "-Infinity", "1e999", "[1,", '{"a":1,"a":1}', "[" * 100_000]
)
def test_a_finite_decoding_refuses_the_rest(text):
    with pytest.raises(ValueError):
        decode_unique(text, finite=True)
    assert decode_unique("[1.5, 2]", finite=True) == [1.5, 2]


BAD_JSON = [math.nan, [math.inf], (1,), {1: 1}, {"a": object()}, {"a": [b""]}]


@pytest.mark.parametrize("value", BAD_JSON, ids=range(len(BAD_JSON)))
def test_a_reference_that_is_not_json_is_an_invalid_task(value):
    with pytest.raises(InvalidTask):
        validate_structured_exact(StructuredExactSpec(value))
    with pytest.raises(InvalidTask):
        candidate_spec("structured_exact", {"expected": value})
    assert grade_candidate(StructuredExactSpec(value), value, {}).status == "invalid_task"


def test_the_options_of_structured_exact_are_checked():
    with pytest.raises(InvalidTask):
        validate_structured_exact(StructuredExactSpec(1, numeric_types="value"))
    with pytest.raises(InvalidTask):
        validate_structured_exact(StructuredExactSpec(1, empty_output="zero"))


def test_structured_exact_takes_any_value_and_gives_no_detail():
    spec = candidate_spec("structured_exact", {"expected": "", "numeric_types": "strict"})
    verdict = grade_candidate(spec, "", {})
    assert (verdict.reward, verdict.detail) == (1.0, {})
    for candidate in (" ", None, 0, [], object(), {1, 2}, nested(100_000)):
        assert grade_candidate(spec, candidate, {}).reward == 0.0


@pytest.mark.parametrize(
    ("text", "reward", "reason"),
    [
        ('{"a": 1}', 1, None), ('\n{"a": 1.0} ', 1, None), ('{"a": 2}', 0, None), ('{"a": 1, "a": 1}', 0, "invalid_json"),
        ("{", 0, "invalid_json"), ("[" * 100_000, 0, "invalid_json"), ("9" * 5000, 0, "invalid_json"), ("NaN", 0, None), (" ", 0, "no_output"),
    ],
    ids=range(9),
)  # fmt: skip
def test_an_answer_file_is_read_as_json(tmp_path, text, reward, reason):
    (tmp_path / "answer.txt").write_text(text)
    verdict = grade(StructuredExactSpec({"a": 1}), tmp_path, tmp_path)
    assert (verdict.status, verdict.reward, verdict.detail.get("reason")) == ("scored", reward, reason)


def calls(*pairs):
    return tuple(FunctionCall(name, arguments) for name, arguments in pairs)


@pytest.mark.parametrize(
    ("expected", "actual", "tolerance", "reward"),
    [
        (calls(("f", {"x": 1})), calls(("f", {"x": 1})), None, 1),
        (calls(("f", {"x": 1})), calls(("f", {"x": 1.0})), None, 0),
        (calls(("f", {"x": 1})), calls(("f", {"x": 1.0})), 1.0, 0),
        (calls(("f", {"x": 1.0})), calls(("f", {"x": 1.25})), 0.25, 1),
        (calls(("f", {})), calls(("g", {})), None, 0),
        (calls(("f", {})), calls(("f", {}), ("f", {})), None, 0),
        (calls(("f", {}), ("f", {})), calls(("f", {})), None, 0),
        (calls(("f", {"x": True})), calls(("f", {"x": 1})), None, 0),
        (calls(("f", {"x": 1}), ("f", {"x": 2})), calls(("f", {"x": 2}), ("f", {"x": 1})), None, 1),
        # Greedy pairing takes 1.0 with 1.5 and leaves 2.0 alone.
        (calls(("f", {"x": 1.0}), ("f", {"x": 2.0})), calls(("f", {"x": 1.5}), ("f", {"x": 0.5})), 0.5, 1),
        (calls(("f", {"x": 1.0}), ("f", {"x": 2.0})), calls(("f", {"x": 0.5}), ("f", {"x": 0.6})), 0.5, 0),
        (calls(("f", {})), calls(("f", None)), None, 0),
        (calls(("f", {})), calls((None, {})), None, 0),
    ],
    ids=range(13),
)
def test_calls_are_paired_off(expected, actual, tolerance, reward):
    verdict = grade_candidate(PredictedActionSpec(expected, tolerance), actual, {})
    assert (verdict.reward, verdict.detail) == (reward, {})


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.data())
def test_the_pairing_agrees_with_trying_every_order(left, data):
    right = data.draw(st.lists(st.integers(0, 6), min_size=len(left), max_size=len(left)))
    spec = PredictedActionSpec(calls(*[("f", {"x": float(value)}) for value in left]), 1.0)
    actual = calls(*[("f", {"x": float(value)}) for value in right])
    wanted = any(
        all(abs(a - b) <= 1 for a, b in zip(left, order, strict=True))
        for order in itertools.permutations(right)
    )
    assert grade_candidate(spec, actual, {}).reward == float(wanted)


@pytest.mark.parametrize(
    "bad",
    [
        PredictedActionSpec(()), PredictedActionSpec("f"), PredictedActionSpec(None), PredictedActionSpec(({"name": "f"},)),
        PredictedActionSpec(calls(("", {}))), PredictedActionSpec(calls((5, {}))), PredictedActionSpec(calls(("f", None))),
        PredictedActionSpec(calls(("f", []))), PredictedActionSpec(calls(("f", {"x": math.nan}))), PredictedActionSpec(calls(("f", {1: 1}))),
        PredictedActionSpec(calls(("f", {})), -0.1), PredictedActionSpec(calls(("f", {})), math.inf), PredictedActionSpec(calls(("f", {})), math.nan),
        PredictedActionSpec(calls(("f", {})), True), PredictedActionSpec(calls(("f", {})), 10**400), PredictedActionSpec(calls(("f", {})), "1"),
        PredictedActionSpec(calls(("f", {})), empty_output="zero"),
    ],
    ids=range(17),
)  # fmt: skip
def test_unusable_expected_calls_are_refused(bad):
    with pytest.raises(InvalidTask):
        validate_predicted_action(bad)
    assert grade_candidate(bad, (), {}).status == "invalid_task"


@pytest.mark.parametrize("candidate", ["f()", [FunctionCall("f", {})], (FunctionCall("f", {}), {}), None, {}])
def test_a_candidate_of_another_type_is_a_type_error(candidate):
    with pytest.raises(TypeError):
        grade_candidate(PredictedActionSpec(calls(("f", {}))), candidate, {})


@pytest.mark.parametrize(
    ("text", "reward", "reason"),
    [
        ('[{"name": "f", "arguments": {"x": 1}}]', 1, None), ('[{"arguments": {"x": 1}, "name": "f"}]', 1, None),
        ('[{"name": "f", "arguments": {"x": 2}}]', 0, None), ("[]", 0, "invalid_function_calls"), ("{}", 0, "invalid_function_calls"),
        ("[5]", 0, "invalid_function_calls"), ('[{"name": "f"}]', 0, "invalid_function_calls"),
        ('[{"name": "f", "arguments": {"x": 1}, "id": 1}]', 0, "invalid_function_calls"),
        ('[{"name": "", "arguments": {}}]', 0, "invalid_function_calls"), ('[{"name": "f", "arguments": {"x": NaN}}]', 0, "invalid_function_calls"),
        ('[{"name": "f", "arguments": {"x": 1, "x": 1}}]', 0, "invalid_function_calls"), ("[" * 100_000, 0, "invalid_function_calls"),
        ("f(1)", 0, "invalid_function_calls"), ("", 0, "no_output"),
    ],
    ids=range(14),
)  # fmt: skip
def test_an_answer_file_holds_calls_as_json(tmp_path, text, reward, reason):
    (tmp_path / "answer.txt").write_text(text)
    verdict = grade(PredictedActionSpec(calls(("f", {"x": 1}))), tmp_path, tmp_path)
    assert (verdict.status, verdict.reward, verdict.detail.get("reason")) == ("scored", reward, reason)


def test_parsed_calls_are_function_calls():
    assert parse_calls('[{"name": "f", "arguments": {"x": [null]}}]') == calls(("f", {"x": [None]}))


def test_an_unsolvable_task_is_solved_by_ejecting_it_only(tmp_path):
    (tmp_path / "answer.txt").write_text("this cannot be solved")
    spec = candidate_spec("unsolvable", {})
    assert grade(spec, tmp_path, tmp_path).reward == 0.0
    for text in ("", "unsolvable"):
        assert grade_candidate(spec, text, {}).reward == 0.0
    ejected = grade_ejection_candidate(spec)
    assert (ejected.reward, ejected.detail) == (1.0, {})
    assert grade_ejection_candidate(McqSpec("A")).reward == 0.0
    assert grade_ejection_candidate(ScriptSpec("x.sh")).reward == 0.0
    assert grade_ejection_candidate(ExactSpec(())).status == "invalid_task"
    graded = UnsolvableSpec(empty_output=EmptyOutputPolicy.GRADE)
    assert grade_candidate(graded, "", {}).reward == 0.0
    assert grade_candidate(UnsolvableSpec(empty_output="x"), "", {}).status == "invalid_task"
    with pytest.raises(TypeError):
        grade_candidate(spec, 5, {})
