import dataclasses
import json
import math
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit import spec as s
from verifyit.reward import InvalidTask
from verifyit.spec import Mode, mode_of, parse_spec, render_spec, spec_from_table, spec_to_table

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
FLOATS = st.floats(allow_nan=False)
INTS = st.integers(-(10**30), 10**30)
JSON = st.recursive(
    st.none() | st.booleans() | INTS | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
TOML = st.recursive(
    st.booleans() | INTS | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=5), JSON, max_size=3)
BY_TYPE = {
    "str": TEXT,
    "tuple[str, ...]": TEXTS,
    "bool": st.booleans(),
    "int": INTS,
    "float": FLOATS,
    "float | None": st.none() | FLOATS,
    "str | None": st.none() | TEXT,
    "tuple[FunctionCall, ...]": st.lists(st.builds(s.FunctionCall, TEXT, OBJECTS), max_size=3).map(tuple),
    "tuple[Constraint, ...]": st.lists(
        st.builds(s.Constraint, TEXT, st.dictionaries(TEXT, TOML, max_size=3)), max_size=3
    ).map(tuple),
    "dict[str, Any]": st.dictionaries(TEXT, FLOATS, max_size=3),
    "JsonValue": JSON,
    **{
        enum.__name__: st.sampled_from(list(enum))
        for enum in (
            s.MathType,
            s.MathProfile,
            s.SchemaFormat,
            s.Compare,
            s.TestIdMatching,
            s.ClosureFormat,
            s.EmptyOutputPolicy,
            s.NumericTypePolicy,
        )
    },
}


def specs(mode):
    spec_type = s.MODES[mode]
    hints = {entry.name: entry.type for entry in dataclasses.fields(spec_type)}
    if not set(hints.values()) <= BY_TYPE.keys():
        return None
    return st.builds(spec_type, **{name: BY_TYPE[hint] for name, hint in hints.items()})


@pytest.mark.parametrize("mode", list(s.MODES))
def test_every_field_of_every_mode_has_a_strategy_here(mode):
    assert specs(mode) is not None or mode == "answer-key"


@given(st.data(), st.sampled_from([mode for mode in s.MODES if specs(mode) is not None]))
def test_a_rendered_spec_parses_to_the_same_spec(data, mode):
    spec = data.draw(specs(mode))
    parsed = parse_spec(render_spec(spec))
    assert parsed == spec
    # Equality takes 1, 1.0 and True for the same; the text of the values does not.
    assert json.dumps(spec_to_table(parsed), sort_keys=True) == json.dumps(
        spec_to_table(spec), sort_keys=True
    )


@given(st.data(), st.sampled_from([mode for mode in s.MODES if specs(mode) is not None]))
def test_a_table_gives_the_same_spec_back(data, mode):
    spec = data.draw(specs(mode))
    table = spec_to_table(spec)
    assert next(iter(table)) == "mode"
    assert spec_from_table(table) == spec


@given(TEXT)
def test_a_text_that_is_no_spec_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_spec(text)


def test_a_table_spells_out_defaults_and_leaves_out_absent_optionals():
    assert spec_to_table(s.McqSpec("A")) == {
        "mode": "mcq",
        "expected": "A",
        "options": 4,
        "output": "/app/answer.txt",
        "empty_output": "zero",
    }
    table = spec_to_table(s.ScriptSpec("x.sh"))
    assert "verdict_file" not in table
    assert table["args"] == []
    calls = spec_to_table(s.PredictedActionSpec((s.FunctionCall("f", {"a": None}),)))
    assert calls["expected_calls"] == [{"name": "f", "arguments": {"a": None}}]
    assert "numeric_tolerance" not in calls


def test_the_declaration_order_is_the_order_of_the_table():
    table = spec_to_table(s.ExactSpec(("a",)))
    assert list(table) == ["mode", *(entry.name for entry in dataclasses.fields(s.ExactSpec))]


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"expected": "A"},
        {"mode": "nonsense"},
        {"mode": 5},
        {"mode": ["mcq"]},
        {"mode": None},
        {"mode": "MCQ", "expected": "A"},
    ],
)
def test_a_missing_or_unknown_mode_is_refused(table):
    with pytest.raises(ValueError, match="mode"):
        spec_from_table(table)


def test_unknown_keys_are_named_in_order():
    with pytest.raises(ValueError, match="alpha, zeta"):
        spec_from_table({"mode": "mcq", "expected": "A", "zeta": 1, "alpha": 2})


def test_missing_fields_are_named():
    with pytest.raises(ValueError, match="expected, tolerance_abs, tolerance_rel"):
        spec_from_table({"mode": "numeric"})


@pytest.mark.parametrize(
    ("mode", "field", "values"),
    [
        ("mcq", "expected", [1, None, ["A"], True]),
        ("exact", "expected", [1, None, {"a": 1}, ["a", 1], [None], {"a"}]),
        ("exact", "ignore_case", [0, 1, "true", None]),
        ("mcq", "options", [4.0, True, "4", None]),
        ("numeric", "tolerance_abs", [True, "0.1", None, 10**400]),
        ("predicted_action", "numeric_tolerance", [True, "0.1", 10**400]),
        ("math", "math_type", ["SCALAR", "vector", 1, None]),
        ("exact", "empty_output", ["ZERO", 0, None, True]),
        ("predicted_action", "expected_calls", [None, "f", {"name": "f", "arguments": {}}, [1], [{}],
            [{"name": "f"}], [{"name": "f", "arguments": {}, "id": 1}]]),
        ("ifeval", "constraints", [5, None, "x", {"name": "x"}, [5], [{}], [{"params": {}}], [{"name": 1}],
            [{"name": "x", "params": 5}]]),
        ("structured_exact", "numeric_types", ["loose", 1]),
        ("structure_closure", "format", ["yaml", None]),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_type_is_refused(mode, field, values):
    required = {
        "mcq": {"expected": "A"},
        "exact": {"expected": ["a"]},
        "numeric": {"expected": "1", "tolerance_abs": 0, "tolerance_rel": 0},
        "predicted_action": {"expected_calls": []},
        "math": {"expected": "1"},
        "ifeval": {"constraints": []},
        "structured_exact": {"expected": 1},
        "structure_closure": {"prefix": "", "expected": "", "format": "json"},
    }[mode]
    spec_from_table({"mode": mode, **required})
    for value in values:
        with pytest.raises(ValueError, match=field):
            spec_from_table({"mode": mode, **required, field: value})


def test_what_is_accepted_is_coerced():
    assert spec_from_table({"mode": "exact", "expected": "a"}).expected == ("a",)
    assert spec_from_table({"mode": "exact", "expected": ["a", "b"]}).expected == ("a", "b")
    numeric = spec_from_table(
        {"mode": "numeric", "expected": "1", "tolerance_abs": 1, "tolerance_rel": math.inf}
    )
    assert type(numeric.tolerance_abs) is float
    assert numeric.tolerance_rel == math.inf
    action = {"mode": "predicted_action", "expected_calls": [], "numeric_tolerance": 1}
    assert type(spec_from_table(action).numeric_tolerance) is float
    assert spec_from_table({**action, "numeric_tolerance": None}).numeric_tolerance is None
    ifeval = spec_from_table({"mode": "ifeval", "constraints": iter([{"name": "x", "note": "ignored"}])})
    assert ifeval.constraints == (s.Constraint("x", {}),)
    # Optional texts and label tables are the mode's to check.
    assert spec_from_table({"mode": "script", "path": "x", "verdict_file": 5}).verdict_file == 5
    assert spec_from_table({"mode": "judge", "label_scores": 5}).label_scores == 5


def test_toml_holds_json_where_toml_cannot_express_the_value():
    text = 'mode = "structured_exact"\nexpected = \'{"a": [1, 1.0, null, true]}\''
    assert repr(parse_spec(text).expected) == "{'a': [1, 1.0, None, True]}"
    calls = """
    mode = "predicted_action"
    [[expected_calls]]
    name = "f"
    arguments = '{"a": null}'
    [[expected_calls]]
    name = "g"
    arguments = { b = 1 }
    """
    assert parse_spec(calls).expected_calls == (
        s.FunctionCall("f", {"a": None}),
        s.FunctionCall("g", {"b": 1}),
    )


@pytest.mark.parametrize(
    "text",
    [
        'mode = "structured_exact"\nexpected = 5',
        'mode = "structured_exact"\nexpected = "{"',
        'mode = "structured_exact"\nexpected = \'{"a": 1, "a": 2}\'',
        'mode = "structured_exact"',
        f'mode = "structured_exact"\nexpected = "{"[" * 100_000}"',
        'mode = "predicted_action"\nexpected_calls = 5',
        'mode = "predicted_action"\nexpected_calls = [5]',
        'mode = "predicted_action"\n[[expected_calls]]\nname = "f"\narguments = \'{"a": 1, "a": 1}\'',
        'mode = "mcq"\nexpected = "A"\nexpected = "B"',
        f'mode = "mcq"\nexpected = {"[" * 100_000}',
        'mode = "ifeval"\nconstraints = 5',
        'mode = "ifeval"\nconstraints = ["x"]',
    ],
)
def test_a_malformed_text_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_spec(text)


class Odd(int):
    pass


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, [math.nan], (1,), {1: 2}, {"a": object()}, Odd(1), b"x", {"a": {1, 2}}, [10**5000]],
)
def test_what_json_cannot_carry_is_not_rendered(value):
    with pytest.raises(ValueError):
        render_spec(s.StructuredExactSpec(value))


def test_a_value_inside_itself_and_one_too_deep_are_not_rendered():
    loop = []
    loop.append(loop)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for value in (loop, deep):
        with pytest.raises(ValueError):
            render_spec(s.StructuredExactSpec(value))


def test_the_same_list_twice_is_no_loop():
    shared = [1]
    spec = s.StructuredExactSpec([shared, shared])
    assert parse_spec(render_spec(spec)) == spec


def test_a_null_in_the_parameters_of_a_constraint_has_no_toml():
    with pytest.raises(ValueError, match="TOML"):
        render_spec(s.IfevalSpec((s.Constraint("x", {"a": None}),)))


def test_the_policy_of_blank_answers_is_given_by_name_only():
    with pytest.raises(TypeError):
        s.UnsolvableSpec("/app/answer.txt", s.EmptyOutputPolicy.GRADE)
    assert s.UnsolvableSpec().empty_output is s.EmptyOutputPolicy.ZERO
    assert s.StructureClosureSpec("{", "{}", s.ClosureFormat.JSON).empty_output is s.EmptyOutputPolicy.GRADE


def test_every_mode_has_a_descriptor_and_every_spec_a_mode():
    assert set(s.MODE_DESCRIPTORS) == set(Mode)
    for mode, descriptor in s.MODE_DESCRIPTORS.items():
        assert descriptor.module.startswith("grade_")
        assert set(descriptor.module) <= set(string.ascii_lowercase + "_0123456789")
        assert s.MODES[mode] is descriptor.spec_type
    assert mode_of(s.McqSpec("A")) is Mode.MCQ


def test_what_is_no_spec_has_no_mode():
    with pytest.raises(ValueError):
        mode_of("mcq")
    with pytest.raises(ValueError):
        mode_of(InvalidTask())
