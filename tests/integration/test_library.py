"""Every built-in environment is sound: right answers score 1, wrong ones do not pass, equal runs end equally."""

from pathlib import Path

import pytest

import deepgym
from deepgym import DeepGym
from deepgym.folders import read_folder
from deepgym.registry import is_environment_folder

ROOT = Path(deepgym.__file__).resolve().parent.parent / "environments"
NAMES = sorted(path.name for path in ROOT.iterdir() if is_environment_folder(path))
SEED = 20_26
# Answers without any thought: what they earn, and more, is luck that a trainer would reinforce.
MAX_FLOOR = 0.1


@pytest.fixture(scope="module")
def client():
    with DeepGym(mode="local") as client:
        yield client


@pytest.fixture(scope="module", params=NAMES)
def folder(request):
    return read_folder(ROOT / request.param, root=ROOT)


def run(client, folder, answer):
    return client.run(folder.environment.model_copy(update={"seed": SEED}), answer)


def text_of(path):
    return path.read_bytes().decode("utf-8")


def without_times(result):
    return result.model_dump(exclude={"execution_time_ms", "attempts"})


def test_the_folder_is_complete(folder):
    environment = folder.environment
    assert folder.reference_solution is not None
    assert len(folder.right) >= 1
    assert len(folder.wrong) >= 2
    assert environment.difficulty in {"easy", "medium", "hard"}
    assert environment.tags
    assert environment.metadata.keys() >= {"type", "domain", "license", "source"}


def test_the_reference_scores_everything_and_twice_the_same(client, folder):
    first = run(client, folder, text_of(folder.reference_solution))
    second = run(client, folder, text_of(folder.reference_solution))
    assert (first.score, first.passed, first.error_type) == (1.0, True, None), first.details
    assert without_times(first) == without_times(second)


def test_the_reference_passes_under_a_fresh_seed(client, folder):
    result = client.run(folder.environment, text_of(folder.reference_solution))
    assert result.passed, (result.seed, result.details)


def test_right_answers_in_other_forms_score_everything(client, folder):
    for path in folder.right:
        result = run(client, folder, text_of(path))
        assert (result.score, result.passed) == (1.0, True), (path.name, result.details)


def test_wrong_answers_do_not_pass_and_learn_why(client, folder):
    for path in folder.wrong:
        result = run(client, folder, text_of(path))
        assert result.has_verdict, (path.name, result.details)
        assert not result.passed, path.name
        assert result.details, path.name
        assert all(case.error for case in result.cases if not case.passed), path.name


def test_an_empty_answer_earns_nothing(client, folder):
    result = run(client, folder, "")
    assert (result.score, result.passed, result.has_verdict) == (0.0, False, True), result.details
