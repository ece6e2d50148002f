"""Repository tasks from records that carry their files: the patch is judged by tests that it cannot touch."""

import difflib
import json
from pathlib import Path

import pytest

from deepgym.importers.importing import import_file
from deepgym.registry import load_environment, load_folder

SOURCE = Path(__file__).parents[1] / "data" / "records" / "swebench-like.jsonl"
RECORD = json.loads(SOURCE.read_text().splitlines()[0])
CORE = RECORD["files"]["shop/core.py"]


@pytest.fixture(autouse=True)
def own_registry(tmp_path, monkeypatch):
    monkeypatch.setenv("DEEPGYM_ENVIRONMENTS", str(tmp_path / "sets"))


@pytest.fixture
def env(tmp_path):
    import_file("swebench-like", SOURCE, tmp_path / "sets" / "swe")
    return load_environment("swe/org__shop-1")


def diff(path, before, after):
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        f"a/{path}" if before else "/dev/null",
        f"b/{path}",
    )
    return "".join(lines)


def change_core(old, new):
    assert old in CORE
    return diff("shop/core.py", CORE, CORE.replace(old, new))


def test_records_are_carried_over_or_listed(tmp_path):
    report = import_file("swebench-like", SOURCE, tmp_path / "sets" / "swe")
    assert report.carried == ("org__shop-1",)
    reasons = dict(report.not_carried)
    assert "container image" in reasons["org__shop-2"]
    assert "fixtures" in reasons["org__shop-3"]
    assert "make test" in reasons["org__shop-4"]


def test_the_records_own_patch_scores_1(dg, env):
    result = dg.run(env, load_folder("swe/org__shop-1").reference_solution.read_text())
    assert (result.reward, result.passed) == (1.0, True), result.cases
    assert len(result.cases) == 5


@pytest.mark.parametrize(
    ("old", "new", "score"),
    [
        ("return sum(prices) - discount", "return max(0, sum(prices) - discount)", 0.5),
        ("        return 0\n    return sum", '        raise EmptyBasketError("x")\n    return sum', 0.5),
        ("return sum(prices) - discount", "return 0", 0.0),  # mends one and breaks two
        ("return total(self.prices)", "return total(self.prices)  # nothing", 0.0),
    ],
)
def test_a_patch_earns_its_share_unless_it_breaks_something(dg, env, old, new, score):
    result = dg.run(env, change_core(old, new))
    assert (result.has_verdict, result.score, result.passed) == (True, score, False), result.cases


PATCH_TESTS = diff("tests/test_core.py", "", "def test_baskets():\n    pass\n")
AT_IMPORT = """
import sys, unittest
for case in (unittest.TestCase,):
    case.assertEqual = case.run = lambda *a, **k: None
print('{"score": 1.0, "passed": true}')
"""
ALWAYS_EQUAL = """
class Any:
    def __eq__(self, other): return True
    def __bool__(self): return True
    def __len__(self): return 2
    def __getattr__(self, name): return lambda *a, **k: self
"""
CHEATS = {
    "no diff": "I have mended it.",
    "empty": "",
    "new tests": PATCH_TESTS,
    "unittest patched": change_core('"""Prices."""\n', '"""Prices."""\n' + AT_IMPORT),
    "the process ends": change_core('"""Prices."""\n', '"""Prices."""\nimport os\nos._exit(0)\n'),
    "results are equal to all": diff(
        "shop/core.py", CORE, ALWAYS_EQUAL + "total = Basket = lambda *a, **k: Any()\n"
    ),
    "a forged mark": diff(
        "shop/core.py",
        CORE,
        'def total(*a, **k): return {"deepgym object": 0, "type": "int"}\nBasket = total\n',
    ),
    "a module called like a tool": diff("unittest.py", "", "class TestCase:\n    pass\n"),
    "a module called like a package": diff("pytest.py", "", "def approx(x):\n    return x\n"),
    "helpers of the tests": diff(
        "tests/helpers.py",
        RECORD["files"]["tests/helpers.py"],
        "import unittest\ndef prices():\n    raise unittest.SkipTest\n",
    ),
    "skips": change_core(
        "    if not prices:\n", "    import unittest\n    raise unittest.SkipTest\n    if not prices:\n"
    ),
    "a hang": change_core("    if not prices:\n", "    while True: pass\n    if not prices:\n"),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_no_cheat_mends_a_test(dg, env, cheat):
    result = dg.run(env.model_copy(update={"case_timeout": 2.0}), CHEATS[cheat])
    assert (result.reward, result.passed) == (0.0, False), (result.details, result.cases)


def import_one(tmp_path, **changes):
    record = {**RECORD, **changes}
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps({key: value for key, value in record.items() if value is not None}))
    import_file("swebench-like", path, tmp_path / "sets" / "one")
    return load_folder("one/org__shop-1")


def test_tests_may_come_as_a_patch_and_sources_in_a_folder(dg, tmp_path):
    files = {
        f"src/{path}" if path.startswith("shop") else path: text for path, text in RECORD["files"].items()
    }
    test = RECORD["test_files"]["tests/test_core.py"]
    folder = import_one(
        tmp_path,
        files=files,
        test_files=None,
        test_patch=diff("tests/test_core.py", "", test),
        patch=RECORD["patch"].replace("/shop/core.py", "/src/shop/core.py"),
    )
    result = dg.run(folder.environment, folder.reference_solution.read_text())
    assert result.reward == 1.0, result.cases


def test_objects_go_to_and_fro(dg, tmp_path):
    source = """
class Node:
    def __init__(self, value, children=()):
        self.value, self.children = value, list(children)
    def __iter__(self):
        return iter(self.children)
    def __getitem__(self, index):
        return self.children[index]
    def __contains__(self, value):
        return any(child.value == value for child in self.children)
    def __str__(self):
        return f"Node {self.value}"
    def __enter__(self):
        return self
    def __exit__(self, *_):
        self.value = "closed"

def add(node, child):
    node.children.append(child)
    return [node, child]

def parse(text):
    if not text:
        raise ValueError("nothing")
    return {"root": Node(text)}

LIMIT = 3
"""
    test = """
import pytest
import tree as t
from tree import *

class TestNodes:
    def setup_method(self):
        self.root = t.Node(1)

    def test_nodes(self):
        root, child = add(self.root, Node(2))
        assert child.value == 2 and [each.value for each in root] == [2]
        assert root[0].value == 2 and 2 in root and 5 not in root
        assert str(root) == "Node 1"
        assert parse("x")["root"].value == "x"
        with root as same:
            assert same.value == 1
        assert root.value == "closed"
        assert LIMIT == t.LIMIT == 3

def test_errors():
    with pytest.raises(ValueError, match="nothing"):
        parse("")

def test_skipped():
    pytest.skip("later")

def test_equal_objects_are_not_believed():
    assert Node(1) == Node(1)
"""
    ids = ["TestNodes::test_nodes", "test_errors", "test_skipped", "test_equal_objects_are_not_believed"]
    tests = [f"test_tree.py::{name}" for name in ids]
    folder = import_one(
        tmp_path,
        files={"tree.py": source.replace("LIMIT = 3", "LIMIT = 2")},
        test_files={"test_tree.py": test},
        patch=diff("tree.py", source.replace("LIMIT = 3", "LIMIT = 2"), source),
        FAIL_TO_PASS=tests,
        PASS_TO_PASS=[],
        test_command=None,
    )
    result = dg.run(folder.environment, folder.reference_solution.read_text())
    errors = [case.error for case in result.cases]
    assert result.cases, result
    assert errors[:2] == [None, None]
    assert errors[2] == "the test was skipped"
    assert "cannot be compared" in errors[3]
    assert result.score == 0.5


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"files": {"../x.py": ""}}, "not relative"),
        ({"files": {"x.py": 3}}, "no object of text"),
        ({"FAIL_TO_PASS": []}, "every answer would be right"),
        ({"FAIL_TO_PASS": ["tests/none.py::test_x"]}, "none of its test files"),
        ({"FAIL_TO_PASS": ["tests/test_core.py::test_none"]}, "not defined"),
        ({"FAIL_TO_PASS": "{"}, "no JSON"),
        ({"test_files": None}, "neither test_files nor"),
        ({"patch": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}, "does not fit"),
        ({"files": {**RECORD["files"], "json.py": ""}}, "would hide"),
    ],
)
def test_records_that_cannot_be_judged_are_refused(changes, reason, tmp_path):
    with pytest.raises(ValueError, match=reason):
        import_one(tmp_path, **changes)
