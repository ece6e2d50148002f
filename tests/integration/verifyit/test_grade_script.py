"""Mode script: what a task's script reports, and how."""

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.grade import grade, run
from verifyit.modes.grade_script import grade_script_callable, parse_json_reward, parse_reward_number
from verifyit.reward import GradingInfraError, InvalidTask, Reward, Status, invalid_task, scored
from verifyit.spec import ScriptSpec, render_spec


@pytest.fixture
def place(tmp_path):
    (tmp_path / "task").mkdir()
    (tmp_path / "app").mkdir()
    return tmp_path


def graded(place, script, **fields):
    name = fields.pop("path", "grade.sh")
    (place / "task" / name).write_text(script)
    spec_path = place / "task" / "verifier.toml"
    spec_path.write_text(render_spec(ScriptSpec(name, **fields)))
    return run(spec_path, place / "app")


def test_a_shell_script_prints_a_reward(place):
    verdict = graded(place, "echo working\necho warn >&2\necho 0.25\necho\n")
    assert verdict.reward == 0.25
    assert verdict.detail == {"exit_code": 0, "stderr": "warn\n", "channel": "stdout"}


def test_a_python_script_runs_in_the_workspace_with_its_paths(place):
    script = (
        "import os, pathlib, sys\nassert os.getcwd() == os.environ['VERIFYIT_WORKSPACE']\n"
        "assert pathlib.Path(os.environ['VERIFYIT_TESTS_DIR'], 'grade.py').is_file()\n"
        "pathlib.Path(os.environ['VERIFYIT_LOGS_DIR'], 'reward.txt').write_text(sys.argv[1])\n"
    )
    verdict = graded(place, script, path="grade.py", args=("1",))
    assert (verdict.reward, verdict.detail["channel"]) == (1.0, "reward.txt")


def test_reward_json_comes_first_and_its_other_numbers_are_kept(place):
    table = {"reward": 0.5, "speed": 2, "name": "x", "flag": True}
    script = f"echo '{json.dumps(table)}' > $VERIFYIT_LOGS_DIR/reward.json\necho 1 > $VERIFYIT_LOGS_DIR/reward.txt\n"
    verdict = graded(place, script)
    assert (verdict.reward, verdict.detail["metrics"]) == (0.5, {"speed": 2})
    other = script.replace('"reward"', '"score"')
    assert graded(place, other, reward_key="score").reward == 0.5


@pytest.mark.parametrize(
    ("script", "fields"),
    [
        ("exit 3", {}),
        ("kill -9 $$", {}),
        ("true", {}),
        ("echo good", {}),
        ("echo nan", {}),
        ("echo 1e999", {}),
        ("echo '{' > $VERIFYIT_LOGS_DIR/reward.json; echo 1", {}),
        ('echo \'{"reward": 1, "reward": 0}\' > $VERIFYIT_LOGS_DIR/reward.json', {}),
        ("echo '{\"reward\": NaN}' > $VERIFYIT_LOGS_DIR/reward.json", {}),
        ("echo '{\"reward\": true}' > $VERIFYIT_LOGS_DIR/reward.json", {}),
        ("echo '{\"other\": 1}' > $VERIFYIT_LOGS_DIR/reward.json", {}),
        ("echo '[1]' > $VERIFYIT_LOGS_DIR/reward.json", {}),
        ("echo > $VERIFYIT_LOGS_DIR/reward.txt; echo 1", {}),
        ("mkdir $VERIFYIT_LOGS_DIR/reward.txt; echo 1", {}),
        ("echo 1 > x; ln -s $PWD/x $VERIFYIT_LOGS_DIR/reward.txt", {}),
        ("head -c 2000000 /dev/zero > $VERIFYIT_LOGS_DIR/reward.txt", {}),
        ("printf '\\377' > $VERIFYIT_LOGS_DIR/reward.txt", {}),
        ("echo 1", {"reward_key": "score"}),
    ],
)
def test_a_reward_that_cannot_be_read_is_an_infra_error(place, script, fields):
    verdict = graded(place, script, **fields)
    assert verdict.status is Status.INFRA_ERROR
    assert "stderr" in verdict.detail


def test_a_failing_script_shows_why(place):
    verdict = graded(place, "echo why >&2; exit 3")
    assert (verdict.detail["exit_code"], verdict.detail["stderr"]) == (3, "why\n")
    assert "script producer failed" in verdict.detail["error"]


@pytest.mark.parametrize("value", ["1.5", "-0.1"])
def test_a_reward_out_of_range_is_a_scored_zero(place, value):
    verdict = graded(place, f"echo {value}")
    assert (verdict.reward, verdict.status) == (0.0, Status.SCORED)
    assert (verdict.detail["reason"], verdict.detail["reported"]) == ("reward_out_of_range", float(value))


def test_a_script_past_its_deadline(place):
    assert graded(place, "sleep 60", timeout=0.5).detail == {"reason": "timeout"}
    late = graded(place, "sleep 60", timeout=0.5, verdict_file="v.json")
    assert late.status is Status.INFRA_ERROR


VERDICT = {"status": "scored", "reward": 0.5, "detail": {"a": 1}}


def leaving(verdict, name="v.json"):
    return f"cat > $VERIFYIT_LOGS_DIR/{name} <<'END'\n{verdict if isinstance(verdict, str) else json.dumps(verdict)}\nEND\n"


def test_a_whole_verdict_is_taken_over(place):
    verdict = graded(place, leaving(VERDICT), verdict_file="v.json")
    assert verdict == Reward(0.5, Status.SCORED, {"a": 1, "script": {"exit_code": 0, "stderr": ""}})
    inner = graded(
        place, "mkdir $VERIFYIT_LOGS_DIR/in\n" + leaving(VERDICT, "in/v.json"), verdict_file="in/v.json"
    )
    assert inner.reward == 0.5
    invalid = VERDICT | {"status": "invalid_task", "reward": 0}
    assert graded(place, leaving(invalid), verdict_file="v.json").status is Status.INVALID_TASK


@pytest.mark.parametrize(
    "script",
    [
        leaving(VERDICT) + "exit 1",
        "true",
        leaving(VERDICT | {"reward": 2}),
        leaving(VERDICT | {"reward": True}),
        leaving(VERDICT | {"status": "good"}),
        leaving(VERDICT | {"status": ["scored"]}),
        leaving(VERDICT | {"status": "infra_error"}),
        leaving(VERDICT | {"detail": []}),
        leaving({"status": "scored", "reward": 1}),
        leaving("[]"),
        leaving('{"status": "scored", "reward": 1, "reward": 1, "detail": {}}'),
        leaving('{"status": "scored", "reward": 1, "detail": {"x": NaN}}'),
        leaving(VERDICT, "w.json") + "ln -s w.json $VERIFYIT_LOGS_DIR/v.json",
        "mkdir $VERIFYIT_LOGS_DIR/v.json",
        "head -c 2000000 /dev/zero > $VERIFYIT_LOGS_DIR/v.json",
    ],
)
def test_a_verdict_that_cannot_be_believed_is_an_infra_error(place, script):
    assert graded(place, script, verdict_file="v.json").status is Status.INFRA_ERROR


@pytest.mark.parametrize("name", ["", ".", "/v.json", "../v.json", "a/../b", "\0", 3])
def test_a_verdict_file_lies_in_the_log_folder(place, name):
    (place / "task" / "grade.sh").write_text("touch ran; echo 1")
    spec = ScriptSpec("grade.sh", verdict_file=name)
    assert grade(spec, place / "task", place / "app").status is Status.INVALID_TASK
    assert not (place / "app" / "ran").exists()


def test_a_missing_script_or_a_bad_deadline_is_an_invalid_task(place):
    for spec in (ScriptSpec("none.sh"), ScriptSpec(""), ScriptSpec("none.sh", timeout=0.0)):
        assert grade(spec, place / "task", place / "app").status is Status.INVALID_TASK


@pytest.mark.parametrize("value", [0, 1.5, "0.5", " 1e-3\n", "-2", 10**20])
def test_numbers_may_be_spelled(value):
    assert parse_reward_number(value) == float(value)


@pytest.mark.parametrize(
    "value", [True, None, "", "one", "nan", "1_0", "１", [], 10**400, "1e999", float("inf"), "9" * 500]
)
def test_anything_else_is_no_number(value):
    with pytest.raises(ValueError, match="number"):
        parse_reward_number(value)


@given(st.text())
def test_any_text_is_a_reward_or_a_value_error(text):
    for parse in (parse_reward_number, lambda text: parse_json_reward(text, "reward")):
        with contextlib.suppress(ValueError):
            parse(text)


def half():
    return scored(0.5)


def no_task():
    raise InvalidTask("no reference")


def no_machine():
    raise GradingInfraError("no disk", disk="sda")


def no_luck():
    raise KeyError("x")


def no_reward():
    return 1.0


def test_functions_are_called_in_a_process_of_their_own():
    assert grade_script_callable(half, timeout=20) == scored(0.5)
    assert grade_script_callable(no_task, timeout=20) == invalid_task("no reference")
    infra = grade_script_callable(no_machine, timeout=20)
    assert (infra.status, infra.detail["disk"]) == (Status.INFRA_ERROR, "sda")
    assert grade_script_callable(no_luck, timeout=20).detail == {"error": "KeyError: 'x'"}
    assert grade_script_callable(no_reward, timeout=20).status is Status.INFRA_ERROR
    assert grade_script_callable(time.sleep, 60, timeout=0.5).status is Status.INFRA_ERROR
