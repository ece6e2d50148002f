"""Published tasks and the shipped environments, judged for real: right answers score 1.0 and cheats never pass."""

import pytest

from deepgym.client import DeepGym
from deepgym.datasets import load_humaneval, load_mbpp
from deepgym.evaluation import Sample, evaluate
from deepgym.registry import load_folder

# Every eleventh, and those whose prompts define what their tests use.
HUMANEVAL = {f"HumanEval/{number}" for number in (*range(0, 164, 11), 10, 32, 38, 50, 53)}

CHEATS = {
    "returns None": "def {name}(*args, **kwargs):\n    return None\n",
    "is equal to everything": (
        "class Any:\n    __eq__ = lambda s, o: True\n    __ne__ = lambda s, o: False\n"
        "def {name}(*args, **kwargs):\n    return Any()\n"
    ),
    "prints a verdict": 'print(\'{{"score": 1.0, "passed": true}}\')\n',
    "leaves": "import os\nos._exit(0)\n",
    "does not parse": "def {name}(:\n",
    "is empty": "",
}


@pytest.fixture(scope="module")
def client():
    with DeepGym() as client:
        yield client


@pytest.fixture(scope="module")
def records(pytestconfig):
    mbpp = load_mbpp(pytestconfig.rootpath / "tests" / "data" / "mbpp-sample.json")
    return [*(record for record in load_humaneval() if record.task_id in HUMANEVAL), *mbpp]


def test_every_reference_solution_scores_1(client, records):
    samples = [Sample(record.task_id, record.reference_solution, is_completion=False) for record in records]
    done = evaluate(client, records, samples, raw=True)
    failed = {
        name: result
        for name, result in zip(done.task_ids, done.batch.results, strict=True)
        if result.reward != 1
    }
    assert not failed
    assert all(result.passed and result.cases for result in done.batch.results)
    assert done.exit_code == 0


@pytest.mark.parametrize("cheat", CHEATS)
def test_no_cheat_passes(client, records, cheat):
    samples = [
        Sample(
            record.task_id,
            CHEATS[cheat].format(name=record.environment.metadata["entry_point"]),
            is_completion=False,
        )
        for record in records
    ]
    done = evaluate(client, records, samples, raw=True)
    assert done.batch.passed == 0
    assert done.batch.no_verdict_count == 0


def test_the_shipped_environment_tells_right_from_wrong(client):
    folder = load_folder("merge_intervals")
    for path in (folder.reference_solution, *folder.right):
        result = client.run(folder.environment, model_output=path.read_text())
        assert (result.reward, result.passed) == (1.0, True), path.name
    for path in folder.wrong:
        result = client.run(folder.environment, model_output=path.read_text())
        assert result.has_verdict, path.name
        assert not result.passed, path.name


def test_hidden_cases_differ_from_run_to_run_and_repeat_with_a_seed(client):
    folder = load_folder("merge_intervals")
    answer = folder.reference_solution.read_text()
    first, second = (client.run(folder.environment, model_output=answer) for _ in range(2))
    assert first.seed != second.seed
    again = client.run(folder.environment.model_copy(update={"seed": first.seed}), model_output=answer)
    assert again.cases == first.cases
