"""Mode reasoning-gym: with a stand-in for the package everywhere, and with the package where it is installed."""

import json
import sys
from importlib.util import find_spec

import pytest

from verifyit import _bounded
from verifyit.grade import run
from verifyit.modes import grade_reasoning_gym as mode
from verifyit.modes.grade_reasoning_gym import grade_reasoning_gym_candidate, load_entry
from verifyit.reward import GradingInfraError, InvalidTask, Status
from verifyit.spec import EmptyOutputPolicy, ReasoningGymSpec, render_spec

# The two calls that the mode makes, behaving as the package's documentation says they do.
STAND_IN = """
class Dataset:
    def __init__(self, strict=True):
        self.strict = strict

    def score_answer(self, answer, entry):
        if answer == "raise" or entry["metadata"].get("broken"):
            raise ZeroDivisionError(answer)
        if answer == "hang":
            while True:
                pass
        if answer == "die":
            import os
            os._exit(1)
        if answer in ("2", "-1"):
            return float(answer)
        if answer == "text":
            return "1.0"
        if "output" in entry["metadata"]:
            return float(entry["metadata"]["output"] == ((1, 2), (3,)))
        return 1.0 if answer == entry["answer"] else 0.01 if self.strict else 0.5


def create_dataset(name, **params):
    if name != "sums":
        raise ValueError(f"Dataset '{name}' not registered")
    return Dataset(**params)
"""


@pytest.fixture
def gym(tmp_path, monkeypatch):
    """Workers that find the stand-in, and only it."""
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "reasoning_gym.py").write_text(STAND_IN)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "path"), *sys.path])
    pool = type(_bounded._pool)()
    monkeypatch.setattr(_bounded, "_pool", pool)
    monkeypatch.setattr(mode, "CPU_LIMIT_S", 1.0)
    yield
    pool.close()


def entry(answer="4", **metadata):
    return {"question": "2+2", "answer": answer, "metadata": {"source_dataset": "sums"} | metadata}


SUMS = ReasoningGymSpec("sums")


@pytest.mark.usefixtures("gym")
@pytest.mark.parametrize(
    ("answer", "reward", "shown"),
    [
        ("4", 1.0, "4"),
        (" 4\n", 1.0, "4"),
        ("5", 0.01, "5"),
        ("so\n## Answer\n**4**\n", 1.0, "4"),
        (None, 0.01, None),
    ],
)
def test_the_datasets_score_is_the_reward(answer, reward, shown):
    verdict = grade_reasoning_gym_candidate(SUMS, entry(), answer)
    assert (verdict.reward, verdict.detail) == (reward, {"dataset": "sums", "answer": shown})


@pytest.mark.usefixtures("gym")
@pytest.mark.parametrize(("answer", "reason"), [("raise", "error"), ("hang", "deadline"), ("die", "crash")])
def test_an_answer_that_breaks_the_scorer_is_a_scored_zero(answer, reason):
    verdict = grade_reasoning_gym_candidate(SUMS, entry(), answer)
    assert (verdict.status, verdict.reward, verdict.detail["reason"]) == (
        Status.SCORED,
        0.0,
        f"scorer_{reason}",
    )


@pytest.mark.usefixtures("gym")
def test_a_scorer_that_breaks_on_its_own_answer_is_an_infra_error():
    with pytest.raises(RuntimeError, match="own answer"):
        grade_reasoning_gym_candidate(SUMS, entry(broken=True), "5")


@pytest.mark.usefixtures("gym")
@pytest.mark.parametrize("answer", ["2", "-1", "text"])
def test_what_is_no_score_is_an_infra_error(answer):
    with pytest.raises(RuntimeError, match="no score"):
        grade_reasoning_gym_candidate(SUMS, entry(), answer)


@pytest.mark.usefixtures("gym")
def test_lists_of_lists_become_tuples():
    assert grade_reasoning_gym_candidate(SUMS, entry(output=[[1, 2], [3]]), "x").reward == 1.0
    assert grade_reasoning_gym_candidate(SUMS, entry(output=[1, 2]), "x").reward == 0.0


@pytest.mark.usefixtures("gym")
@pytest.mark.parametrize(
    ("spec", "table", "params"),
    [
        (ReasoningGymSpec("other"), entry(source_dataset="other"), None),
        (ReasoningGymSpec("other"), entry(), None),
        (SUMS, {"answer": "4"}, None),
        (SUMS, {"metadata": {"source_dataset": "sums"}}, None),
        (SUMS, entry(answer=4), None),
        (SUMS, [], None),
        (SUMS, entry(), {"colour": "red"}),
        (ReasoningGymSpec("sums", params="params.json"), entry(), None),
        (ReasoningGymSpec("sums", empty_output="zero"), entry(), None),
    ],
)
def test_tasks_that_cannot_be_graded_against(spec, table, params):
    with pytest.raises(InvalidTask):
        grade_reasoning_gym_candidate(spec, table, "4", params=params)


@pytest.mark.usefixtures("gym")
def test_files_are_read_strictly(tmp_path):
    spec = ReasoningGymSpec("sums", params="params.json", empty_output=EmptyOutputPolicy.GRADE)
    (tmp_path / "verifier.toml").write_text(render_spec(spec))
    assert run(tmp_path / "verifier.toml", tmp_path).status is Status.INVALID_TASK
    for text in ("[]", "{", '{"answer": "4", "answer": "5"}', json.dumps(entry(x=float("nan")))):
        (tmp_path / "entry.json").write_text(text)
        with pytest.raises(InvalidTask):
            load_entry(tmp_path / "entry.json")
    (tmp_path / "entry.json").write_text(json.dumps(entry()))
    assert run(tmp_path / "verifier.toml", tmp_path).status is Status.INVALID_TASK
    (tmp_path / "params.json").write_text('{"strict": false}')
    assert run(tmp_path / "verifier.toml", tmp_path).detail == {"reason": "no_output"}
    (tmp_path / "answer.txt").write_text("5")
    assert run(tmp_path / "verifier.toml", tmp_path).reward == 0.5
    with pytest.raises(InvalidTask):
        mode.grade(ReasoningGymSpec("sums", params=3), tmp_path, tmp_path)


@pytest.mark.usefixtures("gym")
def test_an_oversized_answer_is_a_scored_zero():
    assert (
        grade_reasoning_gym_candidate(SUMS, entry(), "4" * 1_000_001).detail["reason"] == "answer_too_large"
    )


@pytest.mark.usefixtures("gym")
def test_a_missing_package_names_its_extra(tmp_path):
    (tmp_path / "path" / "reasoning_gym.py").write_text("raise ImportError('not here')")
    with pytest.raises(GradingInfraError, match=r"deepgym\[reasoning-gym\]"):
        grade_reasoning_gym_candidate(SUMS, entry(), "4")


@pytest.mark.skipif(find_spec("reasoning_gym") is None, reason="needs the reasoning-gym extra")
@pytest.mark.parametrize("dataset", ["basic_arithmetic", "word_sorting", "arc_1d", "sudoku"])
def test_real_datasets_score_their_own_answers(dataset):
    import reasoning_gym

    made = json.loads(json.dumps(reasoning_gym.create_dataset(dataset, size=1, seed=3)[0]))
    spec = ReasoningGymSpec(dataset)
    assert grade_reasoning_gym_candidate(spec, made, made["answer"]).reward == 1.0
    assert grade_reasoning_gym_candidate(spec, made, "nothing of the kind [(").reward < 0.2
