"""Mode stdio: real programs on real cases."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.execution import command
from verifyit.grade import grade
from verifyit.modes.grade_stdio import grade_stdio_candidate
from verifyit.reward import InvalidTask, Status
from verifyit.spec import Compare, StdioSpec

DOUBLE = "print(int(input()) * 2)\n"


@pytest.fixture
def place(tmp_path):
    (tmp_path / "task" / "cases").mkdir(parents=True)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "main.py").write_text(DOUBLE)
    for number, value in (("1", 3), ("2", 5), ("10", 7)):
        (tmp_path / "task" / "cases" / f"input_{number}.txt").write_text(f"{value}\n")
        (tmp_path / "task" / "cases" / f"output_{number}.txt").write_text(f"{value * 2}\n")
    return tmp_path


def spec(**fields):
    return StdioSpec(**({"command": f"{sys.executable} main.py"} | fields))


def graded(place, **fields):
    return grade(spec(**fields), place / "task", place / "app")


def test_a_right_program_passes_every_case(place):
    verdict = graded(place)
    assert (verdict.reward, verdict.detail) == (1.0, {"passed": 3, "total": 3, "first_failure": None})


def test_cases_come_in_the_order_of_their_numbers_and_the_first_failure_ends_the_run(place):
    (place / "app" / "main.py").write_text("n = int(input())\nprint(2 * n if n < 7 else 0)\n")
    verdict = graded(place)
    assert verdict.detail == {"reason": "mismatch", "passed": 2, "total": 3, "first_failure": "10"}
    (place / "task" / "cases" / "input_a.txt").write_text("1")
    (place / "task" / "cases" / "output_a.txt").write_text("0")
    (place / "app" / "main.py").write_text(DOUBLE)
    assert graded(place).detail["first_failure"] == "a"


def test_outputs_are_found_beside_or_in_their_folder_or_above(place):
    cases = place / "task" / "cases"
    (cases / "outputs").mkdir()
    (cases / "output_1.txt").rename(cases / "outputs" / "output_1.txt")
    (cases / "deep").mkdir()
    (cases / "input_2.txt").rename(cases / "deep" / "input_2.txt")
    assert graded(place).reward == 1.0


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import sys\nsys.exit(3)\n", "runtime_error"),
        ("raise SystemError\n", "runtime_error"),
        ("import time\ntime.sleep(60)\n", "timeout"),
        ("while True: pass\n", "timeout"),
        ("print('6', 'extra')\n", "mismatch"),
        ("import os\nos.kill(0, 9)\n", "runtime_error"),
    ],
)
def test_programs_that_go_wrong(place, program, reason):
    (place / "app" / "main.py").write_text(program)
    verdict = graded(place, per_case_timeout=1.0)
    assert (verdict.status, verdict.reward) == (Status.SCORED, 0.0)
    assert (verdict.detail["reason"], verdict.detail["first_failure"]) == (reason, "1")


def test_a_program_that_prints_without_end_fails(place, monkeypatch):
    monkeypatch.setattr(command, "MAX_OUTPUT_BYTES", 10_000)
    (place / "app" / "main.py").write_text("print('6' * 100_000)\n")
    assert graded(place).detail["reason"] == "output_too_large"


def test_a_program_that_cannot_be_started_fails(place):
    assert graded(place, command="./none").detail["reason"] == "command_failed"
    assert graded(place, command="./main.py").detail["reason"] == "command_failed"
    (place / "app" / "junk").write_bytes(b"\0\0\0\0")
    (place / "app" / "junk").chmod(0o755)
    assert graded(place, command="./junk").detail["reason"] == "command_failed"


def test_what_the_machine_lacks_is_not_the_candidates(place):
    with pytest.raises(FileNotFoundError):
        grade(spec(), place / "task", place / "nowhere")
    with pytest.raises(OSError, match="too long"):
        graded(place, command="./" + "x" * 5000)


def test_a_build_runs_first(place):
    (place / "app" / "main.py").unlink()
    (place / "app" / "main.src").write_text(DOUBLE)
    assert graded(place, build="cp main.src main.py").reward == 1.0
    assert graded(place, build="exit 1").detail["reason"] == "build_failed"
    assert graded(place, build="sleep 60", per_case_timeout=0.1).detail["reason"] == "build_failed"


def test_a_workspace_of_its_own_is_used(place):
    assert grade(spec(workspace=str(place / "app")), place / "task", place / "nowhere").reward == 1.0


@pytest.mark.parametrize(
    "fields",
    [
        {"command": ""},
        {"command": "a 'b"},
        {"cases": "none"},
        {"min_cases": 4},
        {"min_cases": True},
        {"per_case_timeout": 0.0},
        {"compare": "tokens"},
        {"float_tolerance": -1.0},
        {"float_tolerance": float("nan")},
        {"float_tolerance": True},
        {"special_judge": "none.py"},
        {"special_judge": 3},
    ],
)
def test_specs_that_cannot_be_graded_against(place, fields):
    assert graded(place, **fields).status is Status.INVALID_TASK


def test_a_case_without_its_output_is_an_invalid_task(place):
    (place / "task" / "cases" / "output_2.txt").unlink()
    assert "output_2.txt" in graded(place).detail["error"]


def test_a_reference_of_decimals_must_be_finite(place):
    (place / "task" / "cases" / "output_10.txt").write_text("inf\n")
    assert graded(place, compare=Compare.DECIMAL_LINES).status is Status.INVALID_TASK


JUDGE = """
import sys
given, expected, got = (open(path).read() for path in sys.argv[1:])
print("thinking")
print(int(int(got) % 2 == 0))
"""


def test_a_judge_of_the_tasks_own_decides(place):
    (place / "task" / "judge.py").write_text(JUDGE)
    (place / "app" / "main.py").write_text("print(100)\n")
    assert graded(place, special_judge="judge.py").reward == 1.0
    (place / "app" / "main.py").write_text("print(101)\n")
    assert graded(place, special_judge="judge.py").detail["reason"] == "mismatch"
    (place / "app" / "main.py").write_text("print('crash')\n")
    assert graded(place, special_judge="judge.py").reward == 0.0


def compared(candidate, expected, compare, **fields):
    return grade_stdio_candidate(spec(compare=Compare(compare), **fields), candidate, expected)


@pytest.mark.parametrize(
    ("compare", "candidate", "expected", "reward"),
    [
        ("exact", "a \r\nb\n\n", "\n\na\nb", 1),
        ("exact", "a  b", "a b", 0),
        ("exact", " a", "a", 0),
        ("exact", "\n", "", 1),
        ("tokens", "a \n b", "a b", 1),
        ("tokens", "a", "a b", 0),
        ("tokens", "A", "a", 0),
        ("float", "1.0000001 x", "1 x", 1),
        ("float", "1.1", "1", 0),
        ("float", "1000000.5", "1000000", 1),
        ("float", "nan", "nan", 1),
        ("float", "NaN", "nan", 0),
        ("float", "inf", "1e999", 1),
        ("float", "inf", "5", 0),
        ("float", "snan", "1", 0),
        ("float", "1_0", "10", 0),
        ("float", "x", "1", 0),
        ("float", "1 1", "1", 0),
        ("decimal_lines", "1.0 2\nx", "1 2.00\n x", 1),
        ("decimal_lines", "0.1", "0.10000000000000000000001", 0),
        ("decimal_lines", "1\n2", "1 2", 0),
        ("decimal_lines", "1e999999", "1", 0),
        ("decimal_lines", "1 nan x", "1 nan x", 1),
        ("decimal_lines", "１", "1", 0),
    ],
)
def test_comparisons(compare, candidate, expected, reward):
    assert compared(candidate, expected, compare).reward == reward


def test_numbers_that_are_not_finite_are_named():
    assert compared("NaN", "1", "decimal_lines").detail["reason"] == "nonfinite_stdout"
    with pytest.raises(InvalidTask):
        compared("1", "-inf", "decimal_lines")


def test_only_text_is_compared():
    assert compared(5, "5", "tokens").detail == {"reason": "invalid_stdout"}
    with pytest.raises(InvalidTask):
        compared("5", 5, "tokens")
    with pytest.raises(InvalidTask):
        compared("5", "5", "tokens", special_judge="judge.py")


@given(st.text(), st.sampled_from(list(Compare)))
def test_any_output_can_be_compared(text, compare):
    assert compared(text, "1 x\n2", compare.value).reward in (0.0, 1.0)
    if compare is not Compare.DECIMAL_LINES:
        assert compared(text, text, compare.value).reward == 1.0
