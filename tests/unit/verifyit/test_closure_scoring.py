"""Finished structures compared with a reference, and the mode that grades continuations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.candidate import candidate_spec, grade_candidate
from verifyit.closure_scoring import (
    ClosureFormat,
    ClosureRegionScore,
    ClosureScore,
    ContinuationOutcome,
    closure_response_content,
    continuation_outcome,
    score_closure,
    score_closure_region,
)
from verifyit.grade import grade
from verifyit.reward import InvalidTask, Status
from verifyit.spec import EmptyOutputPolicy, StructureClosureSpec

TOOL = '<tool_call>{"name": "f", "arguments": {"x": 1}}</tool_call>'
REFERENCES = {
    ClosureFormat.JSON: '{"a": [1, "xy"]}',
    ClosureFormat.TOOL: TOOL,
    ClosureFormat.REASONING: "<|start_think|>so<|end_think|>",
    ClosureFormat.CODE_FENCE: "```py\nx = 1\n```",
}
WON = ClosureScore(syntax_complete=True, content_preserved=True, success=True)
CHANGED = ClosureScore(syntax_complete=True, content_preserved=False, success=False)
OPEN = ClosureScore(syntax_complete=False, content_preserved=False, success=False)


@pytest.mark.parametrize("kind", ClosureFormat)
def test_the_reference_itself_succeeds_and_half_of_it_is_open(kind):
    reference = REFERENCES[kind]
    assert score_closure(reference, reference, kind) == WON
    assert score_closure(reference[:-1], reference, kind) == OPEN
    assert score_closure(reference + "\n", reference, kind) == WON


@pytest.mark.parametrize(
    ("text", "expected", "score"),
    [
        ('{"b": 2, "a": 1}', '{"a":1,"b":2}', WON),
        ('{"a": 1.0}', '{"a": 1}', CHANGED),
        ("[true]", "[1]", CHANGED),
        ("[1e999]", "[1]", CHANGED),
        ("[1] x", "[1]", OPEN),
    ],
)
def test_json_is_compared_by_value_with_strict_numbers(text, expected, score):
    assert score_closure(text, expected, ClosureFormat.JSON) == score


@pytest.mark.parametrize("expected", ["[", "[1] x", "[1e999]", "x"])
def test_a_bad_reference_is_the_callers_mistake(expected):
    with pytest.raises(ValueError, match=r"structure|float"):
        score_closure("[1]", expected, ClosureFormat.JSON)


@pytest.mark.parametrize("kind", ClosureFormat)
def test_what_follows_the_region_is_reported_and_does_not_count(kind):
    reference = REFERENCES[kind]
    score = score_closure_region(f"{reference}\nmore", reference, kind)
    assert score == ClosureRegionScore(
        syntax_complete=True,
        content_preserved=True,
        success=True,
        trailing_content=True,
        whole_response_success=False,
    )
    assert score_closure_region(reference, reference, kind).whole_response_success
    assert not score_closure_region(reference[:-1], reference, kind).success


@given(st.text(), st.sampled_from(list(ClosureFormat)), st.booleans())
def test_scoring_never_raises_on_any_text(text, kind, begun):
    reference = REFERENCES[kind]
    whole = (reference[:5] if begun else "") + text
    score_closure(whole, reference, kind)
    score_closure_region(whole, reference, kind)
    continuation_outcome(whole, reference, kind)


@pytest.mark.parametrize(
    ("text", "expected", "kind", "outcome"),
    [
        ('{"a": [1, "xy"]} ok', REFERENCES[ClosureFormat.JSON], ClosureFormat.JSON, "reference_completed"),
        ('{"a": [1, "x"]}', REFERENCES[ClosureFormat.JSON], ClosureFormat.JSON, "reference_prefix_closed_early"),
        ('{"a": [1, "z"]}', REFERENCES[ClosureFormat.JSON], ClosureFormat.JSON, "other_content_change"),
        ('{"a": [1', REFERENCES[ClosureFormat.JSON], ClosureFormat.JSON, "unclosed_or_invalid"),
        ('["a"]', '["a", "b"]', ClosureFormat.JSON, "reference_prefix_closed_early"),
        ("```py\n```", "```py\nx\n```", ClosureFormat.CODE_FENCE, "reference_prefix_closed_early"),
        ("```py\nx\n```", "```py\nxy\n```", ClosureFormat.CODE_FENCE, "reference_prefix_closed_early"),
        ("<|start_think|>s<|end_think|>", "<|start_think|>so<|end_think|>", ClosureFormat.REASONING,
         "reference_prefix_closed_early"),
    ],
)  # fmt: skip
def test_what_became_of_the_reference(text, expected, kind, outcome):
    assert continuation_outcome(text, expected, kind) is ContinuationOutcome(outcome)


@pytest.mark.parametrize(
    ("text", "stop", "markers", "content"),
    [
        ("x<eos>", "stop", ("<eos>",), "x"),
        ("x<eos><eos>", "stop", ("<eos>",), "x<eos>"),
        ("x<eos>", "length", ("<eos>",), "x<eos>"),
        ("x<eos>", "stop", ("", "s>", "<eos>"), "x"),
        ("x</tool_call>", "stop", ("</tool_call>",), "x</tool_call>"),
        ("x<|end_think|>", "stop", ("<|end_think|>",), "x<|end_think|>"),
        ("x\n```", "stop", ("```", "~~~", "\n```"), "x\n```"),
        ("x", "stop", (), "x"),
    ],
)
def test_the_marker_that_ended_a_response_is_not_content(text, stop, markers, content):
    assert closure_response_content(text, stop_reason=stop, terminal_markers=markers) == content


def spec(prefix='{"a": ', expected='{"a": 1}', form="json", **more):
    return StructureClosureSpec(prefix, expected, ClosureFormat(form), **more)


@pytest.mark.parametrize(
    "broken",
    [
        spec(expected="[1]"),
        spec(prefix='{"a": 1}'),
        spec(prefix="{,", expected="{,"),
        spec(expected='{"a": 1'),
        spec(expected='{"a": 1} x'),
        StructureClosureSpec("", "[]", "json"),
        StructureClosureSpec(1, "[]", ClosureFormat.JSON),
        StructureClosureSpec("", "[]", ClosureFormat.JSON, empty_output="zero"),
    ],
)
def test_specs_that_cannot_be_graded_against(broken, tmp_path):
    with pytest.raises(InvalidTask):
        from verifyit.modes.grade_structure_closure import validate_structure_closure

        validate_structure_closure(broken)
    assert grade(broken, tmp_path, tmp_path).status is Status.INVALID_TASK


def test_a_continuation_is_graded_in_process_and_in_a_file(tmp_path):
    table = {"prefix": '{"a": ', "expected": '{"a": 1}', "format": "json"}
    verdict = grade_candidate(candidate_spec("structure_closure", table), "1} and so on", {})
    assert verdict.reward == 1.0
    assert verdict.detail["trailing_content"] is True
    assert grade_candidate(candidate_spec("structure_closure", table), "", {}).reward == 0.0
    (tmp_path / "answer.txt").write_text("1}")
    assert grade(spec(), tmp_path, tmp_path).detail["whole_response_success"] is True
    assert grade(spec(output="/app/none.txt"), tmp_path, tmp_path).detail == {"reason": "no_output"}
    (tmp_path / "answer.txt").write_text(" ")
    assert grade(spec(empty_output=EmptyOutputPolicy.ZERO), tmp_path, tmp_path).detail == {
        "reason": "no_output"
    }
