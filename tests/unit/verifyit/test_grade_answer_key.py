"""Mode answer-key: submissions in a file."""

import json

import pytest

from verifyit.grade import grade, run
from verifyit.modes.grade_answer_key import grade_answer_key_candidate
from verifyit.reward import Status
from verifyit.spec import AnswerKeySpec, EmptyOutputPolicy, parse_spec, render_spec

KEY = {"a": 1, "b": [None, 2.0], "c": "Yes"}


def graded(candidate, **fields):
    return grade_answer_key_candidate(AnswerKeySpec(KEY, **fields), candidate)


def test_the_reward_is_the_share_of_the_keys_tasks():
    verdict = graded(json.dumps({"outputs": KEY | {"c": "yes"}, "reported_reward": 1}))
    assert (verdict.reward, verdict.detail) == (2 / 3, {"accepted": True, "total": 3})
    assert (
        graded(
            json.dumps({"outputs": KEY | {"c": " YES "}}), overrides={"c": {"fold_case": True, "strip": True}}
        ).reward
        == 1.0
    )


def test_coverage_is_settled_first():
    assert graded(json.dumps({"outputs": {"a": 1}})).detail["accepted"] is False
    assert graded(json.dumps({"outputs": {"a": 1}}), coverage="partial").reward == 1 / 3


@pytest.mark.parametrize(
    "text", ["", "x", "[" * 100_000, '{"outputs": {"a": 1, "a": 1}}', "[]", "1", '{"outputs": []}', "\ud800"]
)
def test_hostile_text_is_a_scored_zero(text):
    verdict = graded(text)
    assert (verdict.status, verdict.reward) == (Status.SCORED, 0.0)


@pytest.mark.parametrize(
    "spec",
    [
        AnswerKeySpec([1]),
        AnswerKeySpec({"a": (1,)}),
        AnswerKeySpec({"a": float("nan")}),
        AnswerKeySpec(KEY, coverage="most"),
        AnswerKeySpec(KEY, rel_tol=-1.0),
        AnswerKeySpec(KEY, strip=1),
        AnswerKeySpec(KEY, overrides={"z": {}}),
        AnswerKeySpec(KEY, overrides={"a": {"shout": True}}),
        AnswerKeySpec(KEY, overrides={"a": 3}),
        AnswerKeySpec(KEY, overrides=[]),
        AnswerKeySpec(KEY, empty_output="zero"),
    ],
)
def test_specs_that_cannot_be_graded_against(spec, tmp_path):
    assert grade(spec, tmp_path, tmp_path).status is Status.INVALID_TASK


def test_a_spec_file_holds_the_key_as_json_or_as_a_table(tmp_path):
    spec = AnswerKeySpec(
        KEY, rel_tol=0.5, overrides={"a": {"strip": True}}, empty_output=EmptyOutputPolicy.GRADE
    )
    assert parse_spec(render_spec(spec)) == spec
    (tmp_path / "verifier.toml").write_text('mode = "answer-key"\n[expected]\na = 1\n')
    assert run(tmp_path / "verifier.toml", tmp_path).detail == {"reason": "no_output"}
    (tmp_path / "answer.txt").write_text('{"outputs": {"a": 1}}')
    assert run(tmp_path / "verifier.toml", tmp_path).reward == 1.0
