import json
import math

import pytest

from verifyit.grade import REWARD_JSON, REWARD_TXT, VERDICT_JSON, write_reward
from verifyit.reward import (
    GradingInfraError,
    InvalidTask,
    Reward,
    Status,
    infra_error,
    invalid_task,
    scored,
    validated,
    verdict_problem,
)

DEEP = {}
for _ in range(5000):
    DEEP = {"x": DEEP}

BAD = [
    "not a reward",
    None,
    Reward(1.0, "scored"),
    Reward(1.0, "nonsense"),
    Reward(True, Status.SCORED),
    Reward("1", Status.SCORED),
    Reward(math.nan, Status.SCORED),
    Reward(math.inf, Status.SCORED),
    Reward(-0.1, Status.SCORED),
    Reward(1.0001, Status.SCORED),
    Reward(10**400, Status.SCORED),
    Reward(1.0, Status.INFRA_ERROR),
    Reward(0.5, Status.INVALID_TASK),
    Reward(1.0, Status.SCORED, [("a", 1)]),
    Reward(1.0, Status.SCORED, {"a": math.nan}),
    Reward(1.0, Status.SCORED, {"a": {1, 2}}),
    Reward(1.0, Status.SCORED, {"a": 10**5000}),
    Reward(1.0, Status.SCORED, DEEP),
    Reward(1.0, Status.SCORED, {("a",): 1}),
]


@pytest.mark.parametrize("verdict", BAD, ids=range(len(BAD)))
def test_an_unacceptable_verdict_becomes_an_infra_error_with_a_fixed_message(verdict):
    replaced = validated(verdict)
    assert replaced.status is Status.INFRA_ERROR
    assert replaced.reward == 0.0
    assert replaced.detail == {"error": verdict_problem(verdict)}


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, 0.25, 5e-324])
def test_an_acceptable_verdict_stays_as_it_is(value):
    verdict = Reward(value, Status.SCORED, {"a": [1, None, "\ud800"]})
    assert validated(verdict) is verdict


def test_scored_stores_a_float_and_keeps_its_detail():
    verdict = scored(1, note="x")
    assert type(verdict.reward) is float
    assert verdict == Reward(1.0, Status.SCORED, {"note": "x"})


@pytest.mark.parametrize(("value", "detail"), [(2, {}), (True, {}), (math.nan, {}), (1.0, {"a": object()})])
def test_scored_refuses_what_is_no_grade(value, detail):
    with pytest.raises(RuntimeError):
        scored(value, **detail)


def test_unscored_verdicts_say_why_and_carry_nothing():
    assert invalid_task("why") == Reward(0.0, Status.INVALID_TASK, {"error": "why"})
    assert infra_error("why", code=3) == Reward(0.0, Status.INFRA_ERROR, {"error": "why", "code": 3})


def test_the_two_exceptions_carry_a_message_and_fields():
    assert str(InvalidTask("bad")) == "bad"
    error = GradingInfraError("late", seconds=5)
    assert (str(error), error.detail) == ("late", {"seconds": 5})
    assert isinstance(error, RuntimeError)


@pytest.mark.parametrize(
    ("value", "json_text", "text"),
    [
        (1.0, '{"reward": 1.0}\n', "1.0\n"),
        (0.0, '{"reward": 0.0}\n', "0.0\n"),
        (0.25, '{"reward": 0.25}\n', "0.25\n"),
    ],
)
def test_a_score_writes_three_files(tmp_path, value, json_text, text):
    write_reward(tmp_path / "a" / "b", scored(value, note="\ud800"))
    logs = tmp_path / "a" / "b"
    assert (logs / REWARD_JSON).read_text() == json_text
    assert (logs / REWARD_TXT).read_text() == text
    verdict = (logs / VERDICT_JSON).read_text()
    assert verdict.endswith("\n")
    assert json.loads(verdict) == {"reward": value, "status": "scored", "detail": {"note": "\ud800"}}


@pytest.mark.parametrize("verdict", [invalid_task("x"), infra_error("x"), Reward(5.0, Status.SCORED)])
def test_an_unscored_verdict_writes_one_file_and_removes_the_stale_ones(tmp_path, verdict):
    write_reward(tmp_path, scored(1.0))
    write_reward(tmp_path, verdict)
    assert [path.name for path in tmp_path.iterdir()] == [VERDICT_JSON]
    assert json.loads((tmp_path / VERDICT_JSON).read_text())["reward"] == 0.0


def test_a_detail_that_is_not_json_is_swapped_for_an_infra_error_before_it_is_written(tmp_path):
    write_reward(tmp_path, Reward(1.0, Status.SCORED, {"a": math.inf}))
    assert json.loads((tmp_path / VERDICT_JSON).read_text())["status"] == "infra_error"


def test_what_was_planted_under_the_files_names_is_replaced_not_followed(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    outside = tmp_path / "outside"
    outside.write_text("mine")
    (logs / REWARD_TXT).symlink_to(outside)
    (logs / REWARD_JSON).mkdir()
    (logs / REWARD_JSON / "x").write_text("x")
    (logs / VERDICT_JSON).symlink_to(tmp_path / "nowhere")
    write_reward(logs, scored(0.5))
    assert outside.read_text() == "mine"
    assert (logs / REWARD_TXT).read_text() == "0.5\n"
    assert json.loads((logs / REWARD_JSON).read_text()) == {"reward": 0.5}
    assert not (tmp_path / "nowhere").exists()
