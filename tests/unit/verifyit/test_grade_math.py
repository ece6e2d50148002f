import os
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifyit import _bounded
from verifyit.candidate import candidate_spec, grade_candidate
from verifyit.grade import grade
from verifyit.modes import grade_math as module
from verifyit.modes._math_text import split_members
from verifyit.modes.grade_math import (
    MathMemberPolicy,
    canonical_math_members,
    check_math_reference,
    grade_math_candidate,
    math_answer,
    validate_math,
)
from verifyit.reward import GradingInfraError, InvalidTask
from verifyit.spec import EmptyOutputPolicy, MathProfile, MathSpec, MathType

BOX = "\\boxed{%s}"


def verdict(expected, text, **params):
    return grade_candidate(candidate_spec("math", {"expected": expected, **params}), text, {})


@pytest.mark.parametrize(
    ("expected", "text", "params", "passes"),
    [
        ("3/4", "\\boxed{\\frac{3}{4}}", {}, True),
        ("3/4", "The answer is 3/4", {}, True),
        ("3/4", "$\\frac{3}{4}$", {}, True),
        ("3/4", "0.75", {}, True),
        ("3/4", "\\boxed{0.74}", {}, False),
        ("$12$", "\\boxed{5} no, \\boxed{12}", {}, True),
        ("12", "\\boxed{12} no, \\boxed{5}", {}, False),
        ("12", "\\boxed{12", {}, False),
        ("12", "\\boxed{}\n12", {}, False),
        ("x^2+2x+1", "\\boxed{(x+1)^2}", {}, True),
        ("\\sqrt{8}", "2\\sqrt{2}", {}, True),
        ("x", "y", {}, False),
        ("(3, -1)", "\\boxed{(3,-1)}", {"math_type": "tuple"}, True),
        ("(3, -1)", "\\boxed{(-1,3)}", {"math_type": "tuple"}, False),
        ("[0,5)", "\\boxed{[0,5)}", {"math_type": "interval"}, True),
        ("[0,5)", "\\boxed{[0,5]}", {"math_type": "interval"}, False),
        ("(2,\\infty)", "x>2", {"math_type": "interval"}, True),
        ("\\{1,2\\}", "\\boxed{\\{2,1\\}}", {"math_type": "set"}, True),
        ("\\{1,2\\}", "\\boxed{\\{2,3\\}}", {"math_type": "set"}, False),
        ("y=2x+1", "\\boxed{y = 1 + 2x}", {"math_type": "equation"}, True),
        ("[2, 4, 8]", "\\boxed{2, 4, 8}", {"math_type": "list"}, True),
        ("2, 4", "\\boxed{\\left[2, 4\\right]}", {"math_type": "list"}, True),
        ("2, 4", "\\boxed{\\{2, \\frac{8}{2}\\}}", {"math_type": "list"}, True),
        ("(1,2), (3,4)", "[(1,2),(3,4)]", {"math_type": "list"}, True),
        ("2, 4", "4, 2", {"math_type": "list"}, False),
        ("2, 4", "2, 4, 6", {"math_type": "list"}, False),
        ("2, 4", "2, ", {"math_type": "list"}, False),
        ("2, 4", "[]", {"math_type": "list"}, False),
        ("x^3", "\\boxed{x^3+7}", {"allow_additive_constant": True}, True),
        ("x^3", "\\boxed{x^3+y}", {"allow_additive_constant": True}, False),
        ("x^3", "\\boxed{x^3+\\infty}", {"allow_additive_constant": True}, False),
        ("x^3", "\\boxed{x^3+7}", {}, False),
        ("x^3", "\\boxed{\\begin{pmatrix}1\\\\2\\end{pmatrix}}", {"allow_additive_constant": True}, False),
        ("x^3", "\\boxed{x^3+\\frac{1}{0}}", {"allow_additive_constant": True}, False),
        ("x=3", "\\boxed{[1,2]}", {"allow_additive_constant": True}, False),
        ("red", "\\boxed{red}", {"profile": "boxed"}, True),
        ("3/4", "\\boxed{\\frac34}", {"profile": "boxed"}, True),
        ("x^3", "\\boxed{x^3+7}", {"profile": "boxed", "allow_additive_constant": True}, True),
        ("x^3", "\\boxed{x^4}", {"profile": "boxed"}, False),
        ("6", "6", {"profile": "raw"}, True),
        ("x^2", "x^2", {"profile": "raw"}, False),
        ("x^2", "it is \\boxed{x^2}", {"profile": "raw"}, True),
        ("x^2", "it is \\boxed{x^2", {"profile": "raw"}, False),
        ("x^2", "\\boxed{x^2+5}", {"profile": "raw", "allow_additive_constant": True}, True),
        ("6", "5", {"profile": "raw", "allow_additive_constant": True}, False),
    ],
)
def test_answers_are_compared_as_mathematics(expected, text, params, passes):
    found = verdict(expected, text, **params)
    assert (found.status, found.reward) == ("scored", float(passes)), found.detail
    assert found.detail["expected"] == expected
    assert "extracted" in found.detail


@pytest.mark.parametrize(
    ("expected", "params"),
    [("", {}), ("  ", {}), ("@@", {}), ("[]", {"math_type": "list"}), ("1,,2", {"math_type": "list"}), ("", {"profile": "boxed"}),
     ("5", {"profile": "boxed", "math_type": "set"}), ("5", {"profile": "raw", "math_type": "list"}), ("", {"profile": "raw"}),
     ("}{", {"profile": "raw"})],
)  # fmt: skip
@pytest.mark.parametrize("text", ["5", ""])
def test_an_unreadable_reference_is_an_invalid_task_for_any_candidate(expected, params, text):
    assert verdict(expected, text, **params).status == "invalid_task"


@pytest.mark.parametrize(
    "bad",
    [MathSpec("1", "scalar"), MathSpec("1", profile="raw"), MathSpec("1", allow_additive_constant=1), MathSpec(5),
     MathSpec("1", empty_output="zero")],
    ids=range(5),
)  # fmt: skip
def test_options_of_the_wrong_type_are_refused(bad):
    with pytest.raises(InvalidTask):
        validate_math(bad)
    assert grade_candidate(bad, "1", {}).status == "invalid_task"


def test_reasons_are_given():
    assert verdict("5", "9" * 6000).detail["reason"] == "unparsable"
    assert verdict("5", " ", empty_output="grade").detail["reason"] == "unparsable"
    assert verdict("5", " ", empty_output="grade", profile="boxed").detail["reason"] == "missing_parse"
    assert verdict("5", " ").detail == {"reason": "empty_output"}
    missing = grade_math_candidate(MathSpec("5", profile=MathProfile.BOXED), "\x00")
    assert missing.reward == 0.0
    raw = verdict("6", "6", profile="raw").detail
    assert raw["parsed_candidate"][0] == "6"
    assert verdict("6", "no number", profile="raw").detail["parsed_candidate"] == []


def test_the_answer_is_taken_from_the_box_or_the_last_line():
    anchored, raw = MathSpec("1"), MathSpec("1", profile=MathProfile.RAW)
    assert math_answer(anchored, "a \\boxed{x} b") == "x"
    assert math_answer(anchored, "\\boxed{x") == ""
    assert math_answer(anchored, "a\nb\n") == "b"
    assert math_answer(anchored, " ") == ""
    assert math_answer(raw, "a\nb\n") == "a\nb\n"


HOSTILE = [
    "(" * 5000, "\ud800", "\\boxed{\ud800}", "9" * 6000, "\\boxed{" * 1000, "\\sqrt{" * 150 + "2" + "}" * 150, "\x00", "{" * 3000, "\\frac{1}{0}",
    "\\boxed{nan}", "\\boxed{\\infty}", "$" * 2000, "\\left" * 500, "a" * 3000, "\\text{" * 300, "1e999999", "()", "\\boxed{=}", "x==", "\\\\" * 500,
    "__import__('os').system('true')", "\\int_0^1 x^{x} dx", "1" + "+1" * 2000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_answer_is_a_scored_zero(text):
    found = verdict("3/4", text)
    assert (found.status, found.reward) == ("scored", 0.0)


def test_a_power_tower_is_a_scored_zero_and_the_next_answer_is_graded():
    started = time.monotonic()
    found = verdict("3/4", "9^{9^{9}}")
    assert (found.status, found.reward, found.detail["reason"]) == ("scored", 0.0, "deadline")
    assert time.monotonic() - started < 60
    assert verdict("3/4", "3/4").reward == 1.0


def test_the_deadline_holds_on_a_thread_too(monkeypatch):
    monkeypatch.setattr(module, "CPU_LIMIT_S", 0.5)
    found = []
    thread = threading.Thread(target=lambda: found.append(verdict("3/4", "9^{9^{9}}")))
    thread.start()
    thread.join(60)
    assert [(item.status, item.reward) for item in found] == [("scored", 0.0)]


def test_a_reference_that_cannot_be_read_in_time_is_an_infra_error(monkeypatch):
    monkeypatch.setattr(module, "CPU_LIMIT_S", 0.05)
    module._reference_problem.cache_clear()
    found = verdict("+".join(f"\\frac{{{i}}}{{x^{i}}}" for i in range(3, 400)), "5")
    assert found.status == "infra_error"
    assert "deadline" in found.detail["error"]


def test_a_worker_that_cannot_be_used_is_reported(monkeypatch):
    module._reference_problem.cache_clear()

    def crash(*arguments, **options):
        raise _bounded.BoundedCallError("crash", "the worker process died")

    monkeypatch.setattr(module, "call_in_worker", crash)
    assert verdict("77", "5").status == "invalid_task"

    def missing(*arguments, **options):
        raise GradingInfraError("a worker cannot import x: No module named 'math_verify'")

    monkeypatch.setattr(module, "call_in_worker", missing)
    found = verdict("78", "5")
    assert (found.status, found.detail["extra"]) == ("infra_error", "math")
    assert "deepgym[math]" in found.detail["error"]

    def stuck(*arguments, **options):
        raise GradingInfraError("a worker gave no reply")

    monkeypatch.setattr(module, "call_in_worker", stuck)
    assert "extra" not in verdict("79", "5").detail


def test_a_missing_extra_is_found_out_in_the_worker(tmp_path):
    blocked = tmp_path / "math_verify.py"
    blocked.write_text("raise ImportError('no such package here')\n")
    code = (
        "from verifyit.candidate import *; "
        "print(grade_candidate(candidate_spec('math', {'expected': '1'}), '1', {}))"
    )
    paths = os.pathsep.join([str(tmp_path), os.getcwd()])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "infra_error" in done.stdout
    assert "deepgym[math]" in done.stdout


def test_an_answer_file_is_graded_and_a_bad_reference_shows_without_one(tmp_path):
    spec = MathSpec("1/2")
    assert grade(spec, tmp_path, tmp_path).detail == {"reason": "no_output"}
    assert grade(MathSpec("@@"), tmp_path, tmp_path).status == "invalid_task"
    (tmp_path / "answer.txt").write_text("so \\boxed{0.5}")
    assert grade(spec, tmp_path, tmp_path).reward == 1.0
    numeric = candidate_spec("numeric", {"expected": "0.5", "tolerance_abs": 0, "tolerance_rel": 0})
    assert grade(numeric, tmp_path, tmp_path).reward == 1.0
    (tmp_path / "answer.txt").unlink()
    assert grade(numeric, tmp_path, tmp_path).detail == {"reason": "no_output"}


def test_the_reference_check_stands_alone():
    check_math_reference(MathSpec("x^2"))
    with pytest.raises(InvalidTask):
        check_math_reference(MathSpec("@@"))
    assert grade_math_candidate(MathSpec("5", empty_output=EmptyOutputPolicy.GRADE), "").reward == 0.0
    assert MathType.SCALAR == "scalar"


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("1, 2", ["1", "2"]), ("[1,2]", ["1", "2"]), ("(1,(2,3))", ["1", "(2,3)"]), ("(1,2),(3,4)", ["(1,2)", "(3,4)"]),
        ("\\left\\{1,2\\right\\}", ["1", "2"]), ("{1,2}", ["1", "2"]), ("$[1,2]$", ["1", "2"]), ("\\Bigg(1\\Bigg)", ["1"]),
        ("\\lefty", ["\\lefty"]), ("", []), ("[]", []), ("1,", ["1", ""]), ("[1", ["[1"]), ("[1[2]", ["[1[2]"]), ("1)(2", ["1)(2"]), ("[1,2)", ["[1,2)"]), ("()", []),
    ],
)  # fmt: skip
def test_lists_are_split_at_their_own_commas(text, members):
    assert split_members(text) == members


def test_members_that_are_the_same_constant_have_the_same_token():
    assert canonical_math_members("1, 0.5, \\sqrt{8}") == canonical_math_members(
        "[1.0, \\frac12, 2\\sqrt{2}]"
    )
    assert canonical_math_members("1/3") != canonical_math_members("0.3333333333")
    assert canonical_math_members("0.1")[0] == b"Rational(1, 10)".hex()
    assert sorted(canonical_math_members("2, 1")) == sorted(canonical_math_members("1, 2"))
    literal = MathMemberPolicy.LITERAL_SYMBOLIC
    assert canonical_math_members("x+1", policy=literal) == canonical_math_members("x+1", policy=literal)
    assert canonical_math_members("x+1", policy=literal) != canonical_math_members("1+x", policy=literal)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "1,,2", "nan", "\\infty", "inf", "undefined", "x", "\\{1,2\\},\\{3\\}", "1 = 2", "@@", "\\sqrt{0.3}", "\\frac{1}{0}",
     "9^{9^{9}}", "\\begin{pmatrix}1\\\\2\\end{pmatrix}"],
)  # fmt: skip
def test_other_members_have_no_token(text, monkeypatch):
    monkeypatch.setattr(module, "CPU_LIMIT_S", 1.0)
    with pytest.raises(ValueError):
        canonical_math_members(text)


@pytest.mark.parametrize(
    "text", ["nan", "@@", "\\{x,y\\},1", "\\begin{pmatrix}x\\\\2\\end{pmatrix}", "\\sqrt{0.3}"]
)
def test_the_literal_policy_still_wants_scalars(text):
    with pytest.raises(ValueError):
        canonical_math_members(text, policy=MathMemberPolicy.LITERAL_SYMBOLIC)


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=40) | st.text(alphabet="0123456789xy+-*/^=(){}[],.<>$\\ frac", max_size=25))
def test_no_text_makes_it_raise(text):
    assert verdict("3/4", text).status == "scored"
