"""Whose doing a failed run of pytest was, decided from reports that no candidate can easily bring about."""

import pytest

from verifyit.execution.command import Completed
from verifyit.modes import _pytest_batch as batch
from verifyit.modes._pytest_blame import Failure, Ground, missing_in_tests
from verifyit.reward import InvalidTask


@pytest.fixture
def workspace(tmp_path):
    for name in ("own.py", "pkg/__init__.py", "guarded/__init__.py", "test_x.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


def ground(workspace, *modules):
    protected = frozenset({workspace / "test_x.py", workspace / "guarded" / "__init__.py"})
    return Ground(workspace, protected, modules)


def failure(kind, file=None, missing=None, frames=()):
    return Failure(kind, None if file is None else str(file), None, missing, tuple(map(str, frames)))


@pytest.mark.parametrize(
    ("kind", "file", "missing", "attributable"),
    [
        ("error", "own.py", None, True),
        ("error", "test_x.py", None, False),
        ("error", "none.py", None, False),
        ("error", "/usr/lib/python3/json.py", None, False),
        ("error", None, None, False),
        ("interrupt", "own.py", None, True),
        ("interrupt", "test_x.py", None, False),
        ("dependency", "test_x.py", "app.main", True),
        ("dependency", "test_x.py", "app", True),
        ("dependency", "test_x.py", "app.main.deeper", True),
        ("dependency", "test_x.py", "apple", False),
        ("dependency", "test_x.py", "pkg.part", True),
        ("dependency", "test_x.py", "guarded.part", False),
        ("dependency", "test_x.py", "elsewhere.part", False),
        ("dependency", "test_x.py", None, False),
        ("import", "test_x.py", "app.main", True),
        ("import", "test_x.py", "pkg.part", False),
        ("import", "test_x.py", "other", False),
    ],
)
def test_what_speaks_against_the_candidate(workspace, kind, file, missing, attributable):
    found = failure(kind, None if file is None else workspace / file, missing)
    assert ground(workspace, "app.main").attributable(found) is attributable


def test_a_file_of_the_candidates_anywhere_on_the_stack_speaks_against_it(workspace):
    found = failure(
        "dependency", workspace / "test_x.py", "numpy", [workspace / "test_x.py", workspace / "own.py"]
    )
    assert ground(workspace).attributable(found)
    assert ground(workspace).files([found]) == ["own.py"]


def test_missing_modules_are_the_tasks_when_its_tests_import_them(workspace):
    tests = [workspace / "test_x.py"]
    direct = failure("dependency", workspace / "test_x.py", "numpy")
    assert missing_in_tests([direct, direct], tests) == ["numpy"]
    assert missing_in_tests([direct, failure("error", workspace / "test_x.py")], tests) == []
    assert missing_in_tests([failure("dependency", workspace / "lib.py", "numpy")], tests) == []
    assert missing_in_tests([failure("dependency", None, "numpy")], tests) == []


def judged(workspace, code, **report):
    table = {
        "records": [],
        "failed_collectors": [],
        "tests": {"test_x.py::a": "passed"},
        "summary": {"total": 1, "passed": 1},
        "rootdir": str(workspace),
    }
    completed = Completed(code, "out", "err", timed_out=False)
    run = batch.PytestRun("/no/such/python", (), ground(workspace))
    return batch._judge(run, ["test_x.py"], completed, table | report, begun=True)


def test_a_report_is_taken_at_its_word_when_it_agrees_with_itself(workspace):
    assert judged(workspace, 0).outcomes == {"test_x.py::a": True}
    assert judged(workspace, 5).failure.detail["reason"] == "no_tests"
    assert judged(workspace, 0, rootdir=None).outcomes == {"test_x.py::a": True}
    inner = judged(workspace, 0, rootdir=str(workspace / "pkg"))
    assert inner.outcomes == {"pkg/test_x.py::a": True}


@pytest.mark.parametrize(
    ("code", "report"),
    [
        (0, {"summary": {"total": 2, "passed": 1}}),
        (0, {"summary": {"total": 1, "failed": 1}}),
        (0, {"tests": {"a": "fine"}, "summary": {"total": 1, "fine": 1}}),
        (1, {}),
        (2, {}),
        (3, {}),
        (2, {"failed_collectors": ["test_x.py"]}),
    ],
)
def test_a_report_that_does_not_add_up_is_an_infra_error(workspace, code, report):
    with pytest.raises(RuntimeError):
        judged(workspace, code, **report)


def record(kind, file, nodeid="test_x.py", missing=None):
    return {"kind": kind, "file": str(file), "frames": [str(file)], "nodeid": nodeid, "missing": missing}


def test_failed_collectors_are_sorted_by_whose_they_are(workspace):
    own = record("error", workspace / "own.py")
    theirs = record("error", workspace / "test_x.py")
    remembered = judged(workspace, 2, records=[own], failed_collectors=["test_x.py"])
    assert remembered.failure.detail["reason"] == "collection_error"
    with pytest.raises(RuntimeError, match="collect"):
        judged(workspace, 2, records=[own, theirs], failed_collectors=["test_x.py"])
    with pytest.raises(InvalidTask, match="numpy"):
        missing = record("dependency", workspace / "test_x.py", missing="numpy")
        judged(workspace, 2, records=[missing], failed_collectors=["test_x.py"])


def test_nothing_is_blamed_on_a_candidate_whose_machine_has_no_pytest(workspace, monkeypatch):
    monkeypatch.setattr(batch, "_pytest_works", lambda _python: False)
    with pytest.raises(RuntimeError, match="report"):
        judged(workspace, 4, records=[record("error", workspace / "own.py", None)])
    run = batch.PytestRun("/no/such/python", (), ground(workspace))
    with pytest.raises(RuntimeError, match="report"):
        batch._judge(run, [], Completed(-9, "", "", timed_out=False), None, begun=True)
    monkeypatch.setattr(batch, "_pytest_works", lambda _python: True)
    assert (
        batch._judge(run, [], Completed(-9, "", "", timed_out=False), None, begun=True).failure.reward == 0.0
    )
