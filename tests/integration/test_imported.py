"""Imported records, judged for real: known right answers score 1.0, known wrong ones and cheats never pass."""

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from deepgym.cli import cli
from deepgym.datasets import humaneval_file, load_humaneval
from deepgym.importers.importing import import_file
from deepgym.registry import load_environment, load_folder

RECORDS = Path(__file__).parents[1] / "data" / "records"
KINDS = ("humaneval", "mbpp", "evalplus", "apps", "taco", "livecodebench", "codecontests")

ALWAYS_EQUAL = """
class Any:
    __eq__ = lambda s, o: True
    __ne__ = lambda s, o: False
"""
WITHOUT_IMPORTS = """
class Solution:
    def pair(self, nums: List[int], target: int) -> List[int]:
        return next([i, j] for i, j in combinations(range(len(nums)), 2) if nums[i] + nums[j] == target)
"""
CHEATS = {
    "is empty": "",
    "leaves": "import os\nos._exit(0)\n",
    "prints a verdict": 'print(\'{"score": 1.0, "passed": true}\')\n',
    "returns what equals everything": ALWAYS_EQUAL
    + "".join(
        f"def {name}(*a): return Any()\n"
        for name in ("twice", "add", "ratio", "similar_elements", "flip", "pair")
    ),
}


@pytest.fixture(autouse=True)
def own_registry(tmp_path, monkeypatch):
    monkeypatch.setenv("DEEPGYM_ENVIRONMENTS", str(tmp_path / "sets"))


def load_set(kind, tmp_path, source=None):
    report = import_file(kind, source or RECORDS / f"{kind}.jsonl", tmp_path / "sets" / kind)
    return [load_folder(f"{kind}/{name}") for name in report.carried]


@pytest.mark.parametrize("kind", KINDS)
def test_known_answers_are_judged_as_they_must_be(dg, kind, tmp_path):
    for folder in load_set(kind, tmp_path):
        env = folder.environment
        known_right = [folder.reference_solution, *folder.right] if folder.reference_solution else []
        for path in known_right:
            result = dg.run(env, path.read_text())
            assert (result.reward, result.passed) == (1.0, True), (path, result.details, result.stderr)
        for path in folder.wrong:
            result = dg.run(env, path.read_text())
            assert (result.has_verdict, result.passed) == (True, False), (path, result)
        for cheat, text in CHEATS.items():
            result = dg.run(env, text)
            assert (result.has_verdict, result.passed) == (True, False), (env.name, cheat, result)


def test_the_reward_hides_nothing_of_a_failed_case(dg, tmp_path):
    (folder,) = load_set("codecontests", tmp_path)
    result = dg.run(folder.environment, folder.wrong[0].read_text())
    failed = [case for case in result.cases if not case.passed]
    assert failed[0].error == "token 1: '3' instead of '5'"
    assert failed[0].input_summary == r"'5 3\n'"


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("print(float(input()) / 2)\n", True),  # 1.5 for 1.50: equal by value, as this source compares
        ("import sys\nprint(int(sys.stdin.buffer.read()) / 2, '', sep='  \\r\\n')\n", True),
        ("print(round(float(input()) / 2 + 1e-9, 12))\n", False),
        ("print(float(input()) / 2)\nprint()\nprint(1)\n", False),
        ("while True:\n    pass\n", False),
    ],
)
def test_programs_of_livecodebench(dg, answer, right, tmp_path):
    load_set("livecodebench", tmp_path)
    env = load_environment("livecodebench/halves").model_copy(update={"case_timeout": 2.0})
    result = dg.run(env, answer)
    assert (result.has_verdict, result.passed) == (True, right), result.cases


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (WITHOUT_IMPORTS, True),
        (
            "from __future__ import annotations\ndef pair(nums, target):\n    return (0, 1) if target == 9 else (1, 2)\n",
            True,
        ),
        ("class Solution:\n    def pair(self, nums, target):\n        return [0, 1]\n", False),
        (
            "class Solution:\n    def pair(self, nums, target):\n        return [False, True] if target == 9 else [1, 2]\n",
            False,
        ),
        (
            "class Solution:\n    seen = 0\n    def pair(self, nums, target):\n        raise KeyError(target)\n",
            False,
        ),
        ("class Solution:\n    pass\n", False),
    ],
)
def test_functions_of_livecodebench(dg, answer, right, tmp_path):
    load_set("livecodebench", tmp_path)
    result = dg.run(load_environment("livecodebench/pair"), answer)
    assert (result.has_verdict, result.passed) == (True, right), result.cases


def test_evalplus_gives_room_where_it_does_and_skips_what_the_contract_refuses(dg, tmp_path):
    load_set("evalplus", tmp_path)
    ratio = load_environment("evalplus/HumanEval_900")
    close = dg.run(ratio, "def ratio(a, b):\n    return a / b + 1e-9\n")
    assert (close.passed, len(close.cases)) == (True, 4)
    assert close.reward_components == {"base": 1.0, "plus": 1.0}
    far = dg.run(ratio, "def ratio(a, b):\n    return a / b if b != 9 else 0.0\n")
    assert (far.passed, far.reward_components) == (False, {"base": 1.0, "plus": 0.5})
    whole = dg.run(ratio, "def ratio(a, b):\n    return True if a == b else a / b\n")
    assert whole.passed
    shared = load_environment("evalplus/Mbpp_902")
    assert dg.run(
        shared, "def similar_elements(a, b):\n    return sorted(set(a) & set(b), reverse=True)\n"
    ).passed
    assert not dg.run(shared, "def similar_elements(a, b):\n    return a\n").passed


@pytest.mark.parametrize(
    ("returned", "right"),
    [
        ('[2.0, 1 / 3, {"a": (1, True)}]', True),
        ('[2, 0.3333333333, {"a": (1, True)}]', True),
        ('(2.0, 1 / 3, {"a": (1, True)})', False),
        ('[2.0, 1 / 3, {"a": [1, True]}]', False),
        ('[2.0, 1 / 3, {"a": (1, 1)}]', False),
        ('[2.0, 1 / 3, {"a": (True, True)}]', False),
        ('[2.0, 0.3334, {"a": (1, True)}]', False),
        ('[2.0, 1 / 3, {"a": (1, True), "b": 0}]', False),
        ("[2.0, 1 / 3]", False),
    ],
)
def test_results_are_compared_with_their_types(dg, tmp_path, returned, right):
    record = {
        "task_id": "x",
        "prompt": "def f(x):\n",
        "entry_point": "f",
        "canonical_solution": '    return [2.0, 1 / 3, {"a": (1, True)}]\n',
        "base_input": [[0]],
        "atol": 1e-6,
    }
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(record))
    (folder,) = load_set("evalplus", tmp_path, path)
    assert dg.run(folder.environment, f"def f(x):\n    return {returned}\n").passed is right


def test_a_reference_that_fails_is_the_records_fault(dg, tmp_path):
    record = {
        "task_id": "x",
        "prompt": "def f(x):\n",
        "entry_point": "f",
        "canonical_solution": "    return 1 // x\n",
        "base_input": [[0]],
    }
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(record))
    (folder,) = load_set("evalplus", tmp_path, path)
    result = dg.run(folder.environment, "def f(x):\n    return 0\n")
    assert (result.has_verdict, result.error_type) == (False, "runtime_error")


def test_humaneval_and_mbpp_score_as_without_the_importer(dg, tmp_path, pytestconfig):
    wanted = {f"HumanEval/{number}" for number in range(0, 164, 20)}
    rows = [json.loads(line) for line in gzip.decompress(humaneval_file().read_bytes()).splitlines()]
    source = tmp_path / "he.jsonl.gz"
    source.write_bytes(
        gzip.compress("\n".join(json.dumps(row) for row in rows if row["task_id"] in wanted).encode())
    )
    direct = {record.task_id: record for record in load_humaneval()}
    for folder in load_set("humaneval", tmp_path, source):
        record = direct[folder.environment.metadata["task_id"]]
        assert folder.environment.verifier_code == record.environment.verifier_code
        assert folder.environment.support_files == record.environment.support_files
        assert folder.reference_solution.read_text() == record.reference_solution
        assert dg.run(folder.environment, record.reference_solution).reward == 1.0
    for folder in load_set("mbpp", tmp_path, pytestconfig.rootpath / "tests" / "data" / "mbpp-sample.json"):
        assert dg.run(folder.environment, folder.reference_solution.read_text()).reward == 1.0
        name = folder.environment.metadata["entry_point"]
        assert not dg.run(folder.environment, f"def {name}(*args):\n    return None\n").passed


@pytest.mark.parametrize("kind", ["evalplus", "apps", "codecontests"])
def test_a_set_is_checked_by_its_name(kind, tmp_path, monkeypatch):
    import_file(kind, RECORDS / f"{kind}.jsonl", tmp_path / "sets" / kind)
    monkeypatch.chdir(tmp_path)
    by_name = CliRunner().invoke(cli, ["check", kind, "--json"])
    assert by_name.exit_code == 0, by_name.output
    by_file = CliRunner().invoke(cli, ["check", f"sets/{kind}.envs.zip", "--json"])
    assert by_file.exit_code == 0, by_file.output
