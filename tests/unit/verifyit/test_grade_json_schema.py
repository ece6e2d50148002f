import datetime as dt
import json
import math
import time
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifyit.candidate import candidate_spec, grade_candidate
from verifyit.grade import grade
from verifyit.modes import grade_json_schema as module
from verifyit.modes._schema_document import check_instance, is_bounded, validator_for
from verifyit.modes.grade_json_schema import (
    grade_json_document,
    grade_json_resource_candidate,
    grade_json_schema_candidate,
    has_nonfinite_number,
    load_schema,
    parse_candidate,
    parse_schema,
    stringify_dates,
    validate_json_schema,
)
from verifyit.reward import InvalidTask
from verifyit.spec import JsonSchemaSpec, SchemaFormat

JSON, YAML, TOML = SchemaFormat
PERSON = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
}


def verdict(text, schema=None, form="json"):
    spec = candidate_spec("json-schema", {"format": form})
    body = schema if isinstance(schema, bytes) else json.dumps(PERSON if schema is None else schema).encode()
    return grade_candidate(spec, text, {"schema.json": body})


@pytest.mark.parametrize(
    ("form", "text", "reason"),
    [
        ("json", '{"name": "a"}', "valid"),
        ("json", '```json\n{"name": "a"}\n```', "valid"),
        ("json", 'Here: ```{"name": "a"}```', "valid"),
        ("json", '{"name": "b", "name": "a"}', "valid"),
        ("json", '{"name": "```x```"}', "valid"),
        ("json", '{"name": 1}', "schema_violation"),
        ("json", "{}", "schema_violation"),
        ("json", '{"name": "a", "x": NaN}', "nonfinite_number"),
        ("json", '{"name": "a", "x": [1e999]}', "nonfinite_number"),
        ("json", "Sure: {}", "parse_error"),
        ("json", "```json\n{\n```", "parse_error"),
        ("json", "[" * 100_000, "parse_error"),
        ("json", "```\n" + "[" * 100_000 + "```", "parse_error"),
        ("json", '{"name": "a", "x": ' + "9" * 5000 + "}", "parse_error"),
        ("json", '{"name": "\ud800"}', "valid"),
        ("yaml", "name: a\nage: 4", "valid"),
        ("yaml", "```yaml\nname: a\n```", "valid"),
        ("yaml", "name: 2020-01-02", "valid"),
        ("yaml", "name: yes", "schema_violation"),
        ("yaml", "name: .nan", "nonfinite_number"),
        ("yaml", "null", "schema_violation"),
        ("yaml", "# only a comment", "parse_error"),
        ("yaml", "a: b: c", "parse_error"),
        ("yaml", "--- 1\n--- 2", "parse_error"),
        ("yaml", "name: !!python/object/apply:os.system ['true']", "parse_error"),
        ("yaml", "name: 2020-99-99", "parse_error"),
        ("yaml", "? [1]\n: 2", "parse_error"),
        ("yaml", "[" * 20_000, "parse_error"),
        ("yaml", "&a [*a]", "parse_error"),
        ("yaml", "name: \ud800", "parse_error"),
        ("toml", 'name = "a"', "valid"),
        ("toml", "name = 2020-01-02", "valid"),
        ("toml", "name = 12:30:00", "valid"),
        ("toml", "name = nan", "nonfinite_number"),
        ("toml", "name = ", "parse_error"),
        ("toml", "x = " + "[" * 20_000, "parse_error"),
    ],
    ids=range(36),
)  # fmt: skip
def test_a_document_is_parsed_and_validated(form, text, reason):
    found = verdict(text, form=form)
    assert (found.status, found.reward, found.detail["reason"]) == (
        "scored",
        float(reason == "valid"),
        reason,
    )


def test_a_violation_shows_the_first_path():
    schema = {"properties": {"b": {"type": "string"}, "a": {"items": {"type": "string"}}}}
    found = verdict('{"b": 1, "a": ["x", 1, 2]}', schema)
    assert found.detail == {
        "reason": "schema_violation",
        "errors": 3,
        "path": "a/1",
        "error": "1 is not of type 'string'",
    }


def test_formats_are_not_checked():
    assert verdict('"nonsense"', {"type": "string", "format": "email"}).reward == 1.0


@pytest.mark.parametrize(
    "schema",
    [b"\xff", b"{", b"true", b"[]", b"[" * 100_000, b'{"type": "nonsense"}', b'{"minimum": NaN}', b'{"minimum": 1e999}', b'{"$schema": 5}',
     b'{"$ref": "#/nowhere"}', b'{"$ref": "http://127.0.0.1:9/x"}', b'{"properties": {"a": {"$dynamicRef": "#no"}}}', b'{"pattern": "("}',
     b'{"patternProperties": {"(": {}}}', b'{"$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#/gone"}}}', b'{"$ref": "#/a", "a": {"pattern": "["}}',
     b'{"$schema": "http://json-schema.org/draft-07/schema#", "required": "name"}', b'{"not": ' * 2000 + b"{}" + b"}" * 2000, b'{"not": ' * 300 + b"{}" + b"}" * 300],
    ids=range(19),
)  # fmt: skip
def test_an_unusable_schema_is_an_invalid_task_for_any_candidate(schema):
    for text in ("{}", "", "not json"):
        assert verdict(text, schema).status == "invalid_task"


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]}, '["a"]', "[1]"),
        ({"$schema": "urn:unknown", "type": "string"}, '"a"', "1"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, '"a"', "1"),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, '{"type": "string"}', '{"type": 5}'),
        ({"$id": "http://x/y", "$ref": "z", "$defs": {"z": {"$id": "z", "pattern": "^a$"}}}, '"a"', '"b"'),
        ({"uniqueItems": True}, "[1, 2]", "[1, 1]"),
        ({"type": "object", "properties": {"c": {"$ref": "#"}}, "additionalProperties": False}, '{"c": {"c": {}}}', '{"c": {"d": 1}}'),
    ],
)  # fmt: skip
def test_drafts_and_references(schema, good, bad):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert verdict(good, schema).reward == 1.0
        assert verdict(bad, schema).reward == 0.0


def test_a_pattern_that_backtracks_on_the_candidate_costs_the_candidate_its_score():
    started = time.monotonic()
    found = verdict(json.dumps("a" * 64 + "!"), {"pattern": "^(a+)+$"})
    assert (found.status, found.reward, found.detail["reason"]) == ("scored", 0.0, "deadline")
    assert time.monotonic() - started < 60
    assert verdict('"aaa"', {"pattern": "^(a+)+$"}).reward == 1.0


def test_aliases_that_multiply_cost_the_candidate_its_score():
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60)]
    schema = {"$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}, "additionalProperties": {"$ref": "#/$defs/n"}}
    found = verdict("\n".join(lines), schema, "yaml")
    assert (found.status, found.reward, found.detail["reason"]) == ("scored", 0.0, "deadline")


def test_a_document_that_the_validator_chokes_on_scores_zero():
    depth = 300
    nested = "[" * depth + "]" * depth
    schema = {"$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"}
    assert verdict(nested, schema).detail["reason"] in ("candidate_nesting_limit", "valid")
    odd_keys = verdict("1: 2", {"patternProperties": {"^a": {}}}, "yaml")
    assert (odd_keys.status, odd_keys.reward, odd_keys.detail["reason"]) == (
        "scored",
        0.0,
        "validation_error",
    )
    huge = verdict("1" + "0" * 400, {"multipleOf": 0.5})
    assert (huge.status, huge.reward) == ("scored", 0.0)


class Raising(dict):
    """Stands in for a document that brings down the validator."""

    def __init__(self, error):
        super().__init__(a=1)
        self.error = error

    def __contains__(self, key):
        raise self.error


def test_recursion_and_other_errors_of_validation_are_the_candidates():
    validator = validator_for({"type": "object", "properties": {"a": {}}})
    assert check_instance(validator, Raising(RecursionError())) == {"reason": "candidate_nesting_limit"}
    found = check_instance(validator, Raising(OverflowError("big")))
    assert found == {"reason": "validation_error", "error": "OverflowError: big"}


def test_keywords_without_a_bound_are_found_at_any_depth():
    assert is_bounded({"properties": {"a": {"type": "string"}}, "enum": [1, ["x"]]})
    for keyword in ("$ref", "pattern", "uniqueItems", "patternProperties", "$dynamicRef"):
        assert not is_bounded({"properties": {"a": [{keyword: 1}]}})


def test_dates_become_text_once_for_each_container():
    shared = [dt.date(2020, 1, 2), dt.time(3, 4), dt.datetime(2020, 1, 2, tzinfo=dt.UTC)]
    converted = stringify_dates({"a": shared, "b": shared, dt.date(2021, 1, 1): 1})
    assert converted["a"] == ["2020-01-02", "03:04:00", "2020-01-02T00:00:00+00:00"]
    assert converted["a"] is converted["b"]
    assert converted["2021-01-01"] == 1


def test_numbers_that_are_not_finite_are_found_anywhere():
    assert has_nonfinite_number({"a": [1, {"b": math.nan}]})
    assert has_nonfinite_number([(-math.inf,)])
    assert has_nonfinite_number({math.inf: 1})
    loop = [1.0]
    loop.append(loop)
    assert not has_nonfinite_number(loop)


def test_direct_documents_and_instances():
    assert grade_json_document(PERSON, JSON, '{"name": "a"}').reward == 1.0
    assert grade_json_document(PERSON, TOML, 'name = "a"').reward == 1.0
    assert grade_json_schema_candidate(PERSON, {"name": "a"}).reward == 1.0
    assert grade_json_schema_candidate({"uniqueItems": True}, [1, 1]).reward == 0.0
    assert grade_json_schema_candidate({"uniqueItems": True}, [b"x", b"x"]).reward == 0.0
    assert grade_json_schema_candidate({"uniqueItems": True}, [math.nan]).detail == {
        "reason": "nonfinite_number"
    }
    for schema in ({"type": 5}, {"a": object()}, {"enum": [math.nan]}):
        with pytest.raises(InvalidTask):
            grade_json_schema_candidate(schema, 1)
    assert parse_schema('{"type": "string"}', "x") == {"type": "string"}
    assert parse_candidate("a: 2020-01-02", YAML) == {"a": "2020-01-02"}
    with pytest.raises(ValueError):
        parse_candidate("", YAML)


@pytest.mark.parametrize(
    "bad",
    [JsonSchemaSpec(""), JsonSchemaSpec("/abs.json"), JsonSchemaSpec("../x.json"), JsonSchemaSpec("a/../b.json"), JsonSchemaSpec(None),
     JsonSchemaSpec(format="json"), JsonSchemaSpec(empty_output="zero")],
    ids=range(7),
)  # fmt: skip
def test_an_unusable_spec_is_refused(bad):
    with pytest.raises(InvalidTask):
        validate_json_schema(bad)
    with pytest.raises(InvalidTask):
        grade_json_resource_candidate(bad, "{}", b"{}")


def test_the_schema_must_be_among_the_resources_even_for_a_blank_answer():
    spec = JsonSchemaSpec()
    for text in ("", "{}"):
        assert grade_candidate(spec, text, {}).status == "invalid_task"
    assert grade_candidate(spec, "", {"schema.json": b"{}"}).detail == {"reason": "empty_output"}


def test_an_answer_file_is_graded_by_the_schema_beside_the_spec(tmp_path):
    tests, workspace = tmp_path / "tests", tmp_path / "app"
    tests.mkdir()
    workspace.mkdir()
    assert grade(JsonSchemaSpec(), tests, workspace).status == "invalid_task"
    (tests / "schema.json").write_bytes(b"\xff{}")
    assert grade(JsonSchemaSpec(), tests, workspace).status == "invalid_task"
    (tests / "schema.json").write_text(json.dumps(PERSON))
    assert grade(JsonSchemaSpec(), tests, workspace).detail == {"reason": "no_output"}
    (workspace / "answer.txt").write_text("name: a")
    assert grade(JsonSchemaSpec(format=YAML), tests, workspace).reward == 1.0
    assert grade(JsonSchemaSpec(str(tests / "schema.json"), format=YAML), tests, workspace).reward == 1.0
    assert grade(JsonSchemaSpec(5), tests, workspace).status == "invalid_task"
    assert load_schema(tests / "schema.json") == PERSON


@settings(deadline=None, max_examples=60)
@given(
    st.text() | st.text(alphabet='{}[]":,0123456789eE.-`ntrfaul \n&*!?|>'),
    st.sampled_from(["json", "yaml", "toml"]),
)
def test_no_text_makes_it_raise(text, form):
    assert verdict(text, form=form).status == "scored"


def test_a_missing_extra_is_an_infra_error_that_names_it(monkeypatch):
    module.cached_validator.cache_clear()
    module._schema_from_bytes.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "jsonschema", None)
    found = verdict("{}", {"type": "object", "title": "no one has seen this schema"})
    assert (found.status, found.detail["extra"]) == ("infra_error", "schema")
    assert "deepgym[schema]" in found.detail["error"]
