"""Mode judge, against a server on the loopback that speaks the HTTP API a judge speaks."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.loopback.openai_judge import Endpoint, completion
from verifyit.grade import run
from verifyit.modes import grade_judge
from verifyit.modes._judge_text import fill_template, strip_reasoning
from verifyit.modes.grade_judge import (
    JudgeConnection,
    boxed_answer,
    grade_judge_candidate,
    grade_paired_ordinal,
    normalize,
    validate_judge_spec,
)
from verifyit.reward import GradingInfraError, InvalidTask, Status
from verifyit.spec import Constraint, EmptyOutputPolicy, JudgeRuntimeSource, JudgeSpec, render_spec

pytest.importorskip("openai", reason="needs the judge extra")


def response(text, status="completed", **more):
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
    table = {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": status, "error": None,
             "output": [{"type": "reasoning", "id": "x", "summary": []}, message], "usage": {"output_tokens": 5}}  # fmt: skip
    return table | more


@pytest.fixture
def endpoint(monkeypatch):
    endpoint = Endpoint()
    monkeypatch.setenv("VERIFYIT_JUDGE_BASE_URL", endpoint.url)
    monkeypatch.setenv("VERIFYIT_JUDGE_API_KEY", "secret-key")
    monkeypatch.setenv("VERIFYIT_JUDGE_MODEL", "env-model")
    yield endpoint
    endpoint.close()


def reference(**fields):
    return JudgeSpec(**({"references": ("Helsinki",), "question": "Capital of Finland?"} | fields))


def checklist(**fields):
    return JudgeSpec(**({"criteria": ("is short", " ", "is kind"), "rubric": "checklist"} | fields))


def labels(**fields):
    table = {
        "references": ("Helsinki",),
        "rubric": "labels",
        "prompt_template": "{question}|{reference}|{candidate}|{{x}}",
        "label_scores": {"CORRECT": 1, "INCORRECT": 0, "PARTLY": 0.5},
    }
    return JudgeSpec(**(table | fields))


def infra(spec, candidate="x", **options):
    with pytest.raises(GradingInfraError) as caught:
        grade_judge_candidate(spec, candidate, **options)
    return caught.value


@pytest.mark.parametrize(("score", "reward"), [("0", 0.0), ("0.5", 0.5), ("1", 1.0)])
def test_the_last_line_of_the_reply_is_the_score(endpoint, score, reward):
    endpoint.replies = [completion(f"Because.\nSCORE: {score}\n")]
    verdict = grade_judge_candidate(reference(), "the Finnish capital")
    assert verdict.reward == reward
    attempts = [{"finish_reason": "stop", "completion_tokens": 7}]
    assert verdict.detail == {
        "model": "env-model",
        "reasoning": "Because.",
        "attempt_count": 1,
        "attempts": attempts,
    }


def test_the_request_is_what_the_contract_says(endpoint):
    endpoint.replies = [completion("SCORE: 1")]
    grade_judge_candidate(
        reference(model="own", reasoning_effort="low", max_completion_tokens=99), "x SCORE: 1"
    )
    path, key, body = endpoint.requests[0]
    assert (path, key) == ("/v1/chat/completions", "Bearer secret-key")
    assert body["model"] == "own"
    assert (body["temperature"], body["max_completion_tokens"], body["reasoning_effort"]) == (0, 99, "low")
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert "Helsinki" in endpoint.prompt()
    assert "x SCORE: 1" in endpoint.prompt()


def test_an_answer_is_marked_off_by_marks_it_cannot_know(endpoint):
    endpoint.replies = [completion("SCORE: 0"), completion("SCORE: 0")]
    for answer in ("one", "two"):
        grade_judge_candidate(reference(), answer)
    marks = {endpoint.prompt(index).partition("BEGIN-")[2][:16] for index in (0, 1)}
    assert len(marks) == 2


@pytest.mark.parametrize(
    "bad", ["no score", "SCORE: 2", "SCORE: 1 really", "SCORE: 1\nbut", "score: 1", "SCORE: 0.50"]
)
def test_a_reply_without_a_score_is_asked_for_once_more(endpoint, bad):
    endpoint.replies = [completion(bad), completion("SCORE: 1")]
    verdict = grade_judge_candidate(reference(), "x")
    assert (verdict.reward, verdict.detail["attempt_count"]) == (1.0, 2)
    endpoint.replies = [completion(bad, tokens=None), completion(bad)]
    error = infra(reference())
    assert error.detail["attempt_count"] == 2
    assert error.detail["attempts"][0] == {"finish_reason": "stop", "completion_tokens": None}


def test_a_reply_cut_by_its_budget_is_asked_for_with_the_larger_one(endpoint):
    endpoint.replies = [completion(None, "length"), completion("SCORE: 1")]
    verdict = grade_judge_candidate(reference(max_completion_tokens=10, incomplete_retry_tokens=20), "x")
    assert verdict.detail["attempts"][0]["finish_reason"] == "length"
    assert [body["max_completion_tokens"] for _path, _key, body in endpoint.requests] == [10, 20]
    endpoint.replies = [completion("SCORE: 1", "length")]
    assert "10 tokens" in str(infra(reference(max_completion_tokens=10)))
    endpoint.replies = [completion("", "length")] * 2
    error = infra(reference(max_completion_tokens=10, incomplete_retry_tokens=20))
    assert ("20 tokens" in str(error), error.detail["attempt_count"]) == (True, 2)


BROKEN = {
    "an error status": (500, {"error": {"message": "down"}}),
    "a wrong key": (401, {"error": {"message": "who"}}),
    "html": (502, "<html>bad gateway</html>"),
    "no json": "{",
    "an error beside the text": completion("SCORE: 1") | {"error": {"code": 1}},
    "no choices": completion("x") | {"choices": []},
    "two choices": completion("x") | {"choices": completion("SCORE: 1")["choices"] * 2},
    "a choice that is none": completion("x") | {"choices": [1]},
    "a tool call": completion("SCORE: 1", tool_calls=[{"id": "1", "type": "function", "function": {"name": "f", "arguments": ""}}]),
    "a refusal": completion("SCORE: 1", refusal="no"),
    "no text": completion(None),
    "another role": completion("SCORE: 1", role="user"),
    "a filter": completion("SCORE: 1", "content_filter"),
    "a blank reply": completion(" "),
    "duplicate keys": json.dumps(completion("SCORE: 1"))[:-1] + ', "choices": []}',
    "NaN": json.dumps(completion("SCORE: 1"))[:-1] + ', "x": NaN}',
    "a list": "[]",
}  # fmt: skip


@pytest.mark.parametrize("reply", BROKEN.values(), ids=BROKEN)
def test_a_reply_that_is_not_whole_is_an_infra_error(endpoint, reply):
    endpoint.replies = [reply]
    error = infra(reference())
    assert error.detail["attempt_count"] == len(error.detail["attempts"])
    assert endpoint.replies == []
    assert "secret-key" not in str(error)


def test_an_endpoint_that_is_not_there_is_an_infra_error(monkeypatch):
    # Port 1 of the loopback: nothing listens there.
    monkeypatch.setenv("VERIFYIT_JUDGE_BASE_URL", "http://127.0.0.1:1/v1")
    error = infra(labels(model="m"))
    assert "cannot be asked" in str(error)
    assert error.detail["attempts"] == []


def test_a_checklist_is_one_question_a_criterion(endpoint):
    endpoint.replies = [completion("Yes.\nSCORE: 1"), completion("No.\nSCORE: 0")]
    verdict = grade_judge_candidate(checklist(), "x", context="c" * 70_000)
    assert verdict.reward == 0.5
    assert (verdict.detail["passed"], verdict.detail["total"]) == (1, 2)
    assert [finding["criterion"] for finding in verdict.detail["criteria"]] == ["is short", "is kind"]
    assert verdict.detail["criteria"][1]["reasoning"] == "No."
    assert "c" * 60_000 in endpoint.prompt(0)
    assert "c" * 60_001 not in endpoint.prompt(0)


def test_a_criterion_without_a_verdict_ends_the_list_and_the_earlier_ones_are_kept(endpoint):
    endpoint.replies = [completion("SCORE: 1"), completion("SCORE: 0.5"), completion("?")]
    error = infra(checklist())
    assert error.detail["criterion"] == "is kind"
    assert [finding["passed"] for finding in error.detail["criteria"]] == [True]
    assert error.detail["attempt_count"] == 2


@pytest.mark.parametrize(
    ("fields", "reply", "verdict"),
    [
        ({}, "CORRECT", "CORRECT"),
        ({}, "why\nINCORRECT", "INCORRECT"),
        ({}, "not CORRECT\nPARTLY", None),
        ({}, "correct", None),
        ({}, "CORRECT.", None),
        ({"label_case": "upper"}, "correct", "CORRECT"),
        ({"label_scan": "lines"}, "not CORRECT at all\nPARTLY", "PARTLY"),
        ({"label_scan": "lines"}, "CORRECT\nPARTLY", None),
        ({"label_scan": "whole"}, " CORRECT\n", "CORRECT"),
        ({"label_scan": "whole"}, "why\nCORRECT", None),
        ({"strip_reasoning_blocks": True}, "<think>PARTLY</think>\nCORRECT", "CORRECT"),
        ({"strip_reasoning_blocks": True}, "<think>CORRECT", None),
    ],
)
def test_labels(endpoint, fields, reply, verdict):
    endpoint.replies = [completion(reply)]
    spec = labels(system_prompt="You {grade}.", **fields)
    if verdict is None:
        assert infra(spec, "y").detail["attempt_count"] == 1
    else:
        graded = grade_judge_candidate(spec, "y {z}")
        assert graded.reward == spec.label_scores[verdict]
        assert graded.detail["verdict"] == verdict
    body = endpoint.requests[0][2]
    assert body["messages"][0] == {"role": "system", "content": "You {grade}."}
    assert body["messages"][1]["content"].endswith("|{x}")


def test_labels_through_the_responses_api(endpoint):
    endpoint.replies = [response("why\nCORRECT")]
    spec = labels(api="responses", reasoning_effort="high", max_completion_tokens=50)
    assert grade_judge_candidate(spec, "x").detail["attempts"] == [
        {"finish_reason": "stop", "completion_tokens": 5}
    ]
    path, _key, body = endpoint.requests[0]
    assert path == "/v1/responses"
    assert (body["max_output_tokens"], body["reasoning"]) == (50, {"effort": "high"})
    cut = response("", "incomplete", output=[], incomplete_details={"reason": "max_output_tokens"})
    endpoint.replies = [cut, response("CORRECT")]
    retried = grade_judge_candidate(
        labels(api="responses", max_completion_tokens=5, incomplete_retry_tokens=9), "x"
    )
    assert retried.detail["attempts"][0]["finish_reason"] == "length"


@pytest.mark.parametrize(
    "reply",
    [
        response("CORRECT", "failed"),
        response("CORRECT", error={"message": "x"}),
        response("CORRECT", output=[]),
        response("CORRECT", output=3),
        response("CORRECT", output=[{"type": "function_call", "name": "f"}]),
        response("CORRECT", output=response("CORRECT")["output"] * 2),
        response("CORRECT", output=[{"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}]),
        response("CORRECT", output=[1]),
    ],
)  # fmt: skip
def test_responses_that_are_not_whole(endpoint, reply):
    endpoint.replies = [reply]
    infra(labels(api="responses"))


def test_gates_need_no_judge():
    exact = {"gate": "exact"}
    assert grade_judge_candidate(reference(), r"So \boxed{\text{helsinki}}", runtime=None).detail == exact
    assert grade_judge_candidate(reference(), "x", runtime=None, gate_candidate="Helsinki!").reward == 1.0
    gated = labels(exact_gate_answers=("Helsinki",), exact_gate_label="PARTLY")
    assert grade_judge_candidate(gated, "Helsinki", runtime=None).detail == exact | {"verdict": "PARTLY"}
    assert grade_judge_candidate(gated, "Helsinki", runtime=None).reward == 0.5
    with pytest.raises(RuntimeError):
        grade_judge_candidate(gated, "helsinki", runtime=None)
    with pytest.raises(RuntimeError):
        grade_judge_candidate(reference(exact_gate=False), "Helsinki", runtime=None)
    with pytest.raises(RuntimeError):
        grade_judge_candidate(checklist(), "x", runtime=None)


def test_an_answer_of_which_nothing_is_left_passes_no_gate():
    with pytest.raises(RuntimeError):
        grade_judge_candidate(reference(references=("...",)), "the", runtime=None)


def test_constraints_come_before_the_judge():
    spec = reference(constraints=(Constraint("punctuation:no_comma"),))
    assert grade_judge_candidate(spec, "a, b", runtime=None).detail == {
        "gate": "constraints",
        "failed": ["punctuation:no_comma"],
    }
    assert grade_judge_candidate(spec, "Helsinki", runtime=None).reward == 1.0


def test_blank_and_long_answers_are_not_sent(endpoint):
    assert grade_judge_candidate(reference(), " ").detail == {"reason": "no_output"}
    stripping = reference(strip_candidate_reasoning_blocks=True)
    assert grade_judge_candidate(stripping, "<think>Helsinki").detail == {"reason": "no_output"}
    assert grade_judge_candidate(stripping, "<think>no</think>Helsinki").reward == 1.0
    assert grade_judge_candidate(reference(), "x" * 100_001).detail["reason"] == "answer_too_large"
    assert endpoint.requests == []
    endpoint.replies = [completion("SCORE: 0"), completion("SCORE: 0")]
    assert grade_judge_candidate(reference(empty_output=EmptyOutputPolicy.GRADE), "").reward == 0.0
    assert grade_judge_candidate(reference(), "\ud800").reward == 0.0


def test_a_connection_is_used_as_it_is(endpoint, monkeypatch):
    monkeypatch.setenv("VERIFYIT_JUDGE_BASE_URL", "http://127.0.0.1:1")
    endpoint.replies = [completion("SCORE: 1")]
    connection = JudgeConnection(endpoint.url, "")
    assert grade_judge_candidate(reference(model="m"), "x", connection=connection, runtime=None).reward == 1.0
    assert endpoint.requests[0][1] == "Bearer none"
    assert "key" not in repr(JudgeConnection("url", "key")).replace("api_key", "")


def test_without_an_endpoint_or_a_model_the_task_is_invalid(endpoint, monkeypatch):
    monkeypatch.delenv("VERIFYIT_JUDGE_MODEL")
    with pytest.raises(InvalidTask, match="model"):
        grade_judge_candidate(reference(), "x")
    monkeypatch.delenv("VERIFYIT_JUDGE_BASE_URL")
    with pytest.raises(InvalidTask, match="endpoint"):
        grade_judge_candidate(reference(), "x")


def test_a_missing_package_names_its_extra(endpoint, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    assert "deepgym[judge]" in str(infra(reference()))


BAD_SPECS = {
    "api": reference(api="soap"),
    "rubric": reference(rubric="stars"),
    "scan": labels(label_scan="x"),
    "case": labels(label_case="x"),
    "responses": reference(api="responses"),
    "no reference": reference(references=(" ",)),
    "no criterion": checklist(criteria=("",)),
    "no budget": reference(max_completion_tokens=0),
    "a bool budget": reference(max_completion_tokens=True),
    "a negative budget": reference(incomplete_retry_tokens=-1),
    "a small retry": reference(incomplete_retry_tokens=8192),
    "a timeout": reference(request_timeout=float("inf")),
    "a policy": reference(empty_output="zero"),
    "a constraint": reference(constraints=(Constraint("no:such"),)),
    "a gate elsewhere": reference(exact_gate_answers=("x",), exact_gate_label="y"),
    "no gate answers": labels(exact_gate_label="CORRECT"),
    "an empty gate answer": labels(exact_gate_label="CORRECT", exact_gate_answers=("",)),
    "a gate label": labels(exact_gate_label="GOOD", exact_gate_answers=("x",)),
    "two references": labels(references=("a", "b")),
    "no template": labels(prompt_template=" "),
    "a broken template": labels(prompt_template="{reference} {candidate} {"),
    "a foreign field": labels(prompt_template="{reference} {candidate} {key}"),
    "an attribute": labels(prompt_template="{reference} {candidate} {question.x}"),
    "a format": labels(prompt_template="{reference} {candidate:>9}"),
    "a conversion": labels(prompt_template="{reference} {candidate!r}"),
    "no candidate": labels(prompt_template="{reference}"),
    "no labels": labels(label_scores={}),
    "a list of labels": labels(label_scores=["CORRECT"]),
    "a label with blanks": labels(label_scores={" A": 1}),
    "a label of two lines": labels(label_scores={"A\nB": 1}),
    "an empty label": labels(label_scores={"": 1}),
    "a numeric label": labels(label_scores={1: 1}),
    "labels alike": labels(label_scores={"a": 1, "A": 0}, label_case="upper"),
    "a high score": labels(label_scores={"A": 2}),
    "a bool score": labels(label_scores={"A": True}),
    "NaN": labels(label_scores={"A": float("nan")}),
}


@pytest.mark.parametrize("spec", BAD_SPECS.values(), ids=BAD_SPECS)
def test_specs_that_cannot_be_judged_by(spec):
    with pytest.raises(InvalidTask):
        validate_judge_spec(spec)


def test_a_file_is_graded_with_its_context(endpoint, tmp_path):
    (tmp_path / "verifier.toml").write_text(render_spec(checklist(context="notes.txt")))
    assert run(tmp_path / "verifier.toml", tmp_path).status is Status.INVALID_TASK
    (tmp_path / "notes.txt").write_text("background")
    assert run(tmp_path / "verifier.toml", tmp_path).detail == {"reason": "no_output"}
    (tmp_path / "answer.txt").write_text("an answer")
    endpoint.replies = [completion("SCORE: 1"), completion("SCORE: 1")]
    assert run(tmp_path / "verifier.toml", tmp_path).reward == 1.0
    assert "background" in endpoint.prompt()
    endpoint.replies = [completion("?"), completion("?")]
    verdict = run(tmp_path / "verifier.toml", tmp_path)
    assert (verdict.status, verdict.detail["attempt_count"]) == (Status.INFRA_ERROR, 2)
    spec = reference()
    (tmp_path / "answer.txt").write_text("Helsinki")
    assert grade_judge.grade(spec, tmp_path, tmp_path, runtime=None).reward == 1.0
    assert grade_judge.grade(spec, tmp_path, tmp_path, JudgeRuntimeSource.ENVIRONMENT).reward == 1.0


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The  Answer.", "answer"),
        (r"\text{A} \left( 1,000 \right)", "1000"),
        ("ﬁve", "five"),
        (r"\operatorname{sin}x", "sinx"),
        ("-5", "-5"),
        ("x-5", "x5"),
        ("1.5", "1.5"),
        ("1.", "1"),
        ("anthem", "anthem"),
        (r"\leftarrow", "leftarrow"),
    ],
)
def test_what_the_exact_gate_compares(text, normal):
    assert normalize(text) == normal


def test_boxes_and_reasoning():
    assert boxed_answer(r"a \boxed{b}") == "b"
    assert boxed_answer("a") == "a"
    assert strip_reasoning("<thinking>a</thinking>b<|start_think|>c<|end_think|>d") == "d"
    assert strip_reasoning("a</think>b<think>") == ""
    assert strip_reasoning("a") == "a"


@given(st.text())
def test_any_text_can_be_compared_and_shown(text):
    normalize(text)
    strip_reasoning(text)
    assert text in fill_template("{candidate}", {"candidate": text})


def test_ratings_of_pairs_become_rewards():
    ratings = {(0, 1): (5, 1, 1), (1, 0): (3, 3, 6)}
    first, second = grade_paired_ordinal(2, [(0, 1), (1, 0)], ratings)
    assert first.reward == pytest.approx(((5 + 1.5) / 9 + (3 + 2.5 + 1.5) / 9) / 2)
    assert second.reward == pytest.approx(((1 + 1.5) / 9 + (3 - 2.5 + 1.5) / 9) / 2)
    rows = [(0, 1, 5, 1, 1), [1, 0, 3, 3, 6]]
    assert grade_paired_ordinal(2, [(0, 1), (1, 0)], rows)[0] == first


@pytest.mark.parametrize(
    "ratings",
    [None, {}, [(0, 1, 5, 1)], [3], {(0, 1): (9, 1, 1)}, {(0, 1): (1, 1, 9)}, {(0, 1): (True, 1, 1)}, {(1, 0): (1, 1, 1)},
     {(0, 1): (float("nan"), 1, 1)}, [(0, 1, 1, 1, 1)] * 2, [("0", 1, 1, 1, 1)]],
)  # fmt: skip
def test_a_malformed_cohort_is_a_runtime_error(ratings):
    with pytest.raises(RuntimeError):
        grade_paired_ordinal(2, [(0, 1)], ratings)


@pytest.mark.parametrize(
    ("size", "edges", "options"),
    [
        (1, [(0, 1)], {}),
        (True, [(0, 1)], {}),
        (2, None, {}),
        (2, [], {}),
        (2, [(0, 0)], {}),
        (2, [(0, 2)], {}),
        (2, [(0, True)], {}),
        (2, [[0, 1]], {}),
        (2, [(0, 1), (0, 1)], {}),
        (3, [(0, 1)], {}),
        (2, [(0, 1)], {"tie_policy": "coin"}),
        (2, [(0, 1)], {"rating_bounds": (5.0, 1.0)}),
        (2, [(0, 1)], {"ranking_bounds": (1.0, float("inf"))}),
        (2, [(0, 1)], {"ranking_bounds": 5}),
    ],
)
def test_a_cohort_that_cannot_be_set_up_is_an_invalid_task(size, edges, options):
    with pytest.raises(InvalidTask):
        grade_paired_ordinal(size, edges, {(0, 1): (1, 1, 1)}, **options)
