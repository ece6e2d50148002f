"""Call shapes of other systems, and the commands among them."""

import json
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.adapters import harbor_answers, harbor_arc_agi_2, harbor_runtime, skyrl
from verifyit.adapters.completion import (
    Completion,
    CompletionStatus,
    answer_text,
    final_text,
    math_answer_text,
)
from verifyit.adapters.evalchemy_jee import JEEInputs, capture_jee_input, grade_jee_answer, prepare_jee_input
from verifyit.adapters.evalchemy_nupa import grade_nupa_answer
from verifyit.adapters.skyrl_qa import grade_qa_exact, grade_qa_token_sets
from verifyit.grade import run
from verifyit.reward import InvalidTask, Status
from verifyit.spec import ScriptSpec, render_spec


@pytest.mark.parametrize(
    ("content", "reasoning", "status", "answer", "math"),
    [
        ("<think>x</think> 4 ", "", "completed", "4", "4"),
        ("", "so 4", "completed", "so 4", ""),
        ("", r"so \boxed{4}", "completed", r"so \boxed{4}", r"so \boxed{4}"),
        ("", r"so \boxed{4}", "truncated", "", ""),
        ("4", "no", "failed", "4", "4"),
        ("<think>4", "", "completed", "", ""),
    ],
)
def test_the_answer_of_a_completion(content, reasoning, status, answer, math):
    completion = Completion(content, reasoning, CompletionStatus(status))
    assert answer_text(completion) == answer
    assert math_answer_text(completion) == math


def test_the_final_text_follows_the_last_reasoning():
    assert final_text("a</think>b<|start_think|>c<|end_think|> d ") == "d"


@pytest.mark.parametrize(
    ("expected", "candidate", "reward"),
    [("a", "a", 1), ("a", "A", 0), ("a", "a ", 0), ("", "", 1), ("a,b", "a,b", 1)],
)
def test_literal_comparison(expected, candidate, reward):
    assert skyrl.grade_literal_candidate(expected, candidate).reward == reward


@pytest.mark.parametrize(
    ("response", "format_score", "reward"),
    [
        ("x #### 1,234", 0.0, 1),
        ("#### 5 #### 1234", 0.0, 1),
        ("#### 5", 0.25, 0.25),
        ("1234", 0.25, 0),
        ("#### -", 0.0, 0),
    ],
)
def test_marked_numbers(response, format_score, reward):
    assert skyrl.grade_gsm8k_strict("1234", response, format_score=format_score).reward == reward


@pytest.mark.parametrize("score", [True, -1, 2, float("nan")])
def test_a_format_score_is_a_reward(score):
    with pytest.raises(InvalidTask):
        skyrl.grade_gsm8k_strict("1", "#### 1", format_score=score)


def test_other_numbers():
    assert skyrl.grade_gsm8k_extracted("1,000", " $1000 ").reward == 1
    assert skyrl.grade_gsm8k_extracted("1", "1.0").reward == 0
    assert skyrl.grade_gsm8k_final_line("$1,000", "so\n1000.0 dollars\n").reward == 1
    assert skyrl.grade_gsm8k_final_line("3", "2 or 3").reward == 0
    assert skyrl.grade_gsm8k_final_line("3", "").reward == 0
    assert skyrl.grade_rounded_candidate(1.234, 1.2304).reward == 1
    assert skyrl.grade_rounded_candidate(1.234, 1.24).reward == 0
    for candidate in (None, float("nan"), True, "1", 10**400):
        assert skyrl.grade_rounded_candidate(1.0, candidate).detail == {"reason": "nonfinite_candidate"}
    with pytest.raises(InvalidTask):
        skyrl.grade_rounded_candidate(float("inf"), 1.0)
    with pytest.raises(InvalidTask):
        skyrl.grade_gsm8k_final_line("three", "3")


@pytest.mark.parametrize(
    ("response", "reward"),
    [("<answer>x</answer> <answer> The Beatles!</answer>", 1), ("<answer>beatles", 0), ("beatles", 0), ("<answer>stones</answer>", 0),
     ("<answer>" * 10_000, 0)],
)  # fmt: skip
def test_tagged_answers(response, reward):
    assert skyrl.grade_search_em(["the beatles", "fab four"], response).reward == reward
    assert skyrl.grade_search_em("Beatles", response).reward == reward


def test_targets_must_say_something():
    for targets in ([], "", ["the", "!"]):
        with pytest.raises(InvalidTask):
            skyrl.grade_search_em(targets, "x")


@pytest.mark.parametrize(
    ("candidate", "reward"),
    [([[1, 2]], 1), ([[1], [2]], 0), ([[1, True]], 0), ([[1, 2.0]], 0), ([[1, 10]], 0), ([], 0), (None, 0), ([[]], 0), ([[1, 2], [1]], 0),
     ([[1] * 31], 0), ([[1]] * 31, 0), ([1, 2], 0)],
)  # fmt: skip
def test_grids(candidate, reward):
    assert skyrl.grade_grid_candidate([[1, 2]], candidate).reward == reward
    with pytest.raises(InvalidTask):
        skyrl.grade_grid_candidate([[10]], candidate)


def test_exact_members():
    pytest.importorskip("sympy", reason="needs the math extra")
    assert skyrl.grade_aime_extracted("7, 1/2", "0.5, 7").reward == 1
    assert skyrl.grade_aime_extracted("7", "7, 7").reward == 0
    assert skyrl.grade_aime_extracted("7", "").reward == 0
    assert skyrl.grade_aime_candidate("204", r"so \boxed{204}").reward == 1
    assert skyrl.grade_aime_candidate("204", "204").detail == {"reason": "no_box"}
    with pytest.raises(InvalidTask):
        skyrl.grade_aime_candidate("", "204")


def test_question_answering():
    assert grade_qa_exact("paris", ["London", "Paris"]).reward == 1
    assert grade_qa_exact("rome", ["London", "Paris"]).reward == 0
    assert grade_qa_token_sets({"a", "b"}, {"a"}).reward == pytest.approx(2 / 3)
    for references in ([], "Paris"):
        with pytest.raises(InvalidTask):
            grade_qa_exact("x", references)


@pytest.mark.parametrize(
    ("expected", "candidate", "kind", "reward"),
    [
        ("A", "A", "MCQ", 1),
        ("A", "a", "MCQ", 0),
        ("A", "AB", "MCQ", 0),
        ("ABD", "BAD", "MCQ(multiple)", 1),
        ("ABD", "AB", "MCQ(multiple)", 0.5),
        ("ABD", "ABC", "MCQ(multiple)", 0),
        ("ABD", "none", "MCQ(multiple)", 0),
        ("5", "5.005", "Integer", 1),
        ("5.00", 5.02, "Numeric", 0),
        ("5.00", "five", "Numeric", 0),
        ("5.00", None, "Numeric", 0),
        (5, "1e9999", "Integer", 0),
    ],
)
def test_jee_answers(expected, candidate, kind, reward):
    assert grade_jee_answer(expected, candidate, kind).reward == reward


def test_jee_tasks_that_make_no_sense():
    for expected, kind in (("A", "Essay"), ("E", "MCQ"), ("AB", "MCQ"), ("x", "Integer"), (None, "MCQ")):
        with pytest.raises(InvalidTask):
            grade_jee_answer(expected, "A", kind)
    assert capture_jee_input("A", "B", "MCQ") == JEEInputs("A", "B", "MCQ")
    with pytest.raises(InvalidTask):
        prepare_jee_input(JEEInputs("A", "B", "MCQ"), "other")


def nupa(candidate, expected="123.45"):
    return grade_nupa_answer(
        candidate,
        expected,
        "float",
        extract_answer=lambda text, _form: text.split()[-1] if text else None,
        full_answer=lambda text, _form: text if text.replace(".", "").isdigit() else None,
        digit_parts=lambda text, _form: tuple(text.split(".")),
    )


@pytest.mark.parametrize(
    ("candidate", "reward", "match", "difference"),
    [("is 123.45", 1, 1.0, 0), ("23.45", 0, 0.8, 1), ("123", 0, 0.6, 2), ("923.4", 0, 0.6, 1)],
)
def test_nupa_digits(candidate, reward, match, difference):
    verdict = nupa(candidate)
    assert verdict.reward == reward
    assert verdict.detail["digit_match"] == pytest.approx(match)
    assert verdict.detail["length_difference"] == difference


def test_nupa_without_an_answer_or_a_reference():
    assert nupa(None).detail["reason"] == "no_answer"
    assert nupa("none").detail["reason"] == "no_answer"
    for expected in (None, "x"):
        with pytest.raises(InvalidTask):
            nupa("1", expected)


@pytest.mark.parametrize(
    ("mode", "expected", "candidate", "reward"),
    [
        ("aime", "042", "42", 1),
        ("aime", "42", "42.0", 0),
        ("aime", "42", None, 0),
        ("aime", "42", " ", 0),
        ("gaia", "1,000", "$1000", 1),
        ("gaia", "1000", "about 1000", 0),
        ("gaia", "a, 2", "A; 2.0", 1),
        ("gaia", "a, b", "b, a", 0),
        ("gaia", "a, b", "a", 0),
        ("gaia", "New-York", "new york", 1),
        ("gaia", "New York!", "newyork", 1),
        ("satbench", "SAT", "sat\n", 1),
        ("satbench", "UNSAT", "SAT", 0),
        ("satbench", "UNSAT", "SAT or UNSAT", 0),
        ("gpqa-diamond", "C", "(c).", 1),
        ("gpqa-diamond", "C", "CD", 0),
    ],
)
def test_short_answers(mode, expected, candidate, reward):
    assert harbor_answers.grade_answer(mode, expected, candidate).reward == reward


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("aime", "1000"), ("gaia", " "), ("satbench", "maybe"), ("gpqa-diamond", "E"), ("other", "x")],
)
def test_short_answers_with_a_bad_reference(mode, expected):
    with pytest.raises(InvalidTask):
        harbor_answers.grade_answer(mode, expected, "x")


@given(st.text(), st.sampled_from(["aime", "gaia", "satbench", "gpqa-diamond"]))
def test_any_short_answer_is_graded(text, mode):
    expected = {"aime": "1", "gaia": "a,b", "satbench": "SAT", "gpqa-diamond": "A"}[mode]
    assert harbor_answers.grade_answer(mode, expected, text).status is Status.SCORED


@pytest.fixture
def files(tmp_path):
    def make(expected, candidate):
        (tmp_path / "key").write_text(expected)
        if isinstance(candidate, bytes):
            (tmp_path / "answer").write_bytes(candidate)
        elif candidate is not None:
            (tmp_path / "answer").write_text(candidate)
        return [str(tmp_path / "key"), str(tmp_path / "answer"), "--logs-dir", str(tmp_path / "logs")]

    return make


def verdict_in(folder):
    return json.loads((folder / "logs" / "verdict.json").read_text())


@pytest.mark.parametrize(
    ("candidate", "status", "reward", "reason"),
    [
        ("42", "scored", 1.0, None),
        (None, "scored", 0.0, "no_output"),
        (b"\xff", "scored", 0.0, "invalid_answer_file"),
        (b"4" * 2_000_000, "scored", 0.0, "invalid_answer_file"),
    ],
)
def test_the_answers_command(files, tmp_path, candidate, status, reward, reason):
    assert harbor_answers.main(["aime", *files("42", candidate)]) == 0
    verdict = verdict_in(tmp_path)
    assert (verdict["status"], verdict["reward"], verdict["detail"].get("reason")) == (status, reward, reason)


def test_the_answers_command_with_links_and_bad_keys(files, tmp_path):
    argv = files("42", None)
    os.symlink(tmp_path / "key", tmp_path / "answer")
    harbor_answers.main(["aime", *argv])
    assert verdict_in(tmp_path)["detail"]["reason"] == "invalid_answer_file"
    (tmp_path / "key").write_text("none")
    harbor_answers.main(["aime", *argv])
    assert verdict_in(tmp_path)["status"] == "invalid_task"
    (tmp_path / "key").unlink()
    harbor_answers.main(["aime", *argv])
    assert verdict_in(tmp_path)["status"] == "invalid_task"


@pytest.mark.parametrize(
    ("expected", "candidate", "status", "reward"),
    [
        ("[[1]]", "[[1]]", "scored", 1.0),
        ("[[1]]", "[[2]]", "scored", 0.0),
        ("[[1]]", "[[", "scored", 0.0),
        ("[[1]]", "[" * 100_000, "scored", 0.0),
        ("[[1]]", None, "scored", 0.0),
        ("[[", "[[1]]", "invalid_task", 0.0),
        ("[[77]]", "[[1]]", "invalid_task", 0.0),
    ],
)
def test_the_grids_command(files, tmp_path, expected, candidate, status, reward):
    assert harbor_arc_agi_2.main(files(expected, candidate)) == 0
    verdict = verdict_in(tmp_path)
    assert (verdict["status"], verdict["reward"]) == (status, reward)


def test_a_crash_of_a_command_is_a_verdict(files, tmp_path, monkeypatch):
    def crash(*_args):
        raise KeyError("x")

    monkeypatch.setattr(harbor_answers, "grade_files", crash)
    harbor_answers.main(["aime", *files("42", "42")])
    assert verdict_in(tmp_path)["status"] == "infra_error"


NATIVE = 'mkdir -p "$VERIFYIT_NATIVE_LOGS_DIR"; '


@pytest.mark.parametrize(
    ("script", "status", "reward"),
    [
        (NATIVE + 'echo 0.5 > "$VERIFYIT_NATIVE_LOGS_DIR/reward.txt"', "scored", 0.5),
        (
            NATIVE + 'echo \'{"reward": 1, "n": 2}\' > "$VERIFYIT_NATIVE_LOGS_DIR/reward.json"; exit 3',
            "scored",
            1.0,
        ),
        (NATIVE + 'echo 7 > "$VERIFYIT_NATIVE_LOGS_DIR/reward.txt"', "scored", 0.0),
        ("echo 1", "infra_error", 0.0),
        (NATIVE + 'echo x > "$VERIFYIT_NATIVE_LOGS_DIR/reward.txt"', "infra_error", 0.0),
    ],
)
def test_a_native_script_inside_script_mode(tmp_path, script, status, reward):
    tests_dir, app = tmp_path / "task", tmp_path / "app"
    tests_dir.mkdir()
    app.mkdir()
    (tests_dir / "test.sh").write_text(script)
    (tests_dir / "bridge.py").write_text(
        f"import sys\nsys.path[:0] = {sys.path!r}\nfrom verifyit.adapters.harbor_runtime import main\nmain(['test.sh'])\n"
    )
    (tests_dir / "verifier.toml").write_text(
        render_spec(ScriptSpec("bridge.py", verdict_file="verdict.json"))
    )
    verdict = run(tests_dir / "verifier.toml", app)
    assert (verdict.status.value, verdict.reward) == (status, reward), verdict.detail


def test_a_native_script_must_be_the_tasks(tmp_path, monkeypatch):
    for name in ("", "none.sh", "../x.sh", "/bin/true"):
        with pytest.raises(InvalidTask):
            harbor_runtime.run_native(name, tmp_path, tmp_path, tmp_path)
    for name in ("TESTS_DIR", "WORKSPACE", "LOGS_DIR"):
        monkeypatch.setenv(f"VERIFYIT_{name}", str(tmp_path))
    assert harbor_runtime.main(["none.sh"]) == 0
    assert json.loads((tmp_path / "verdict.json").read_text())["status"] == "invalid_task"
