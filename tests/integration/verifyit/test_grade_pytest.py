"""Mode pytest on a real small package, with candidates of every kind."""

import json
import os
import stat
import sys

import pytest

from verifyit.execution.command import run_command
from verifyit.grade import grade, run
from verifyit.modes._pytest_ids import match_outcomes
from verifyit.reward import Status
from verifyit.spec import PytestSpec, TestIdMatching, render_spec

TESTS = """
import pytest
from shapes.area import circle, square


def test_square():
    assert square(3) == 9


@pytest.mark.parametrize("radius", [0, 1])
def test_circle(radius):
    assert abs(circle(radius) - 3.14159 * radius**2) < 0.01
"""
GOOD = "def square(x):\n    return x * x\n\n\ndef circle(r):\n    return 3.14159265 * r * r\n"
BAD = "def square(x):\n    return x + x\n\n\ndef circle(r):\n    return 3.14159265 * r * r\n"
IDS = ("tests/test_area.py::test_square", "tests/test_area.py::test_circle[1]")


class Project:
    def __init__(self, folder):
        self.tests_dir = folder / "task"
        self.workspace = folder / "app"
        self.put("task/tests/test_area.py", TESTS)
        self.put("app/shapes/__init__.py", "")
        self.put("app/shapes/area.py", GOOD)

    def put(self, path, text):
        target = self.tests_dir.parent / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def spec(self, **fields):
        table = {
            "paths": ("tests/test_area.py",),
            "restore": ("tests",),
            "candidate_modules": ("shapes.area",),
            "must_pass": IDS,
            "python": sys.executable,
            "timeout": 60.0,
        }
        return PytestSpec(**(table | fields))

    def grade(self, **fields):
        spec_path = self.put("task/verifier.toml", render_spec(self.spec(**fields)))
        return run(spec_path, self.workspace)


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def test_a_package_that_does_what_is_asked_passes(project):
    verdict = project.grade()
    assert (verdict.status, verdict.reward) == (Status.SCORED, 1.0)
    assert verdict.detail == {"passed": 2, "total": 2, "first_failure": None, "exit_code": 0}


def test_without_required_ids_every_test_must_pass(project):
    assert project.grade(must_pass=()).detail["total"] == 3
    project.put("app/shapes/area.py", BAD)
    verdict = project.grade(must_pass=())
    assert (verdict.reward, verdict.detail["passed"], verdict.detail["total"]) == (0.0, 2, 3)


def test_a_failing_package_names_its_first_failure_and_shows_the_end_of_the_output(project):
    project.put("app/shapes/area.py", BAD)
    verdict = project.grade()
    assert verdict.reward == 0.0
    assert verdict.detail["first_failure"] == IDS[0]
    assert "test_square" in verdict.detail["output"]


CANDIDATES = {
    "a syntax error": {"shapes/area.py": "def square(:\n"},
    "an error while it is imported": {"shapes/area.py": "1 / 0\n"},
    "an import of what is missing": {"shapes/area.py": "import no_such_thing_at_all.deeper\n"},
    "a missing function": {"shapes/area.py": "x = 1\n"},
    "no module": {"shapes/area.py": None},
    "no package": {"shapes/area.py": None, "shapes/__init__.py": None},
    "sys.exit": {"shapes/area.py": "import sys\nsys.exit(0)\n"},
    "KeyboardInterrupt": {"shapes/area.py": "raise KeyboardInterrupt\n"},
    "os._exit(0)": {"shapes/area.py": "import os\nos._exit(0)\n"},
    "os._exit(5)": {"shapes/area.py": "import os\nos._exit(5)\n"},
    "a signal": {"shapes/area.py": "import os\nos.kill(os.getpid(), 9)\n"},
    "pytest.exit": {"shapes/area.py": "import pytest\npytest.exit('done', returncode=0)\n"},
    "pytest.exit in a function": {"shapes/area.py": "import pytest\ndef square(x):\n    pytest.exit('', 0)\ncircle = square\n"},
    "sys.exit in a function": {"shapes/area.py": "import sys\ndef square(x):\n    sys.exit(0)\ncircle = square\n"},
    "an interrupt in a function": {"shapes/area.py": "def square(x):\n    raise KeyboardInterrupt\ncircle = square\n"},
    "pytest.skip": {"shapes/area.py": "import pytest\ndef square(x):\n    pytest.skip('')\ncircle = square\n"},
    "a module-level skip": {"shapes/area.py": "import pytest\npytest.skip('', allow_module_level=True)\n"},
    "equal to everything": {"shapes/area.py": "class E:\n    def __eq__(s, o): return False\ndef square(x): return E()\ncircle = square\n"},
    "a conftest.py that forges reports": {
        "shapes/area.py": BAD,
        "conftest.py": "import pytest\n@pytest.hookimpl(hookwrapper=True, tryfirst=True)\n"
        "def pytest_runtest_makereport(item, call):\n    outcome = yield\n    report = outcome.get_result()\n"
        "    report.outcome = 'passed'\n    report.longrepr = None\n",
    },
    "a conftest.py that runs nothing": {
        "shapes/area.py": BAD,
        "conftest.py": "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n",
    },
    "a conftest.py that replaces the protocol": {
        "shapes/area.py": BAD,
        "conftest.py": "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_protocol(item, nextitem):\n"
        "    from _pytest.reports import TestReport\n"
        "    for when in ('setup', 'call', 'teardown'):\n"
        "        item.ihook.pytest_runtest_logreport(report=TestReport(item.nodeid, item.location, {}, 'passed', None, when))\n"
        "    return True\n",
    },
    "a conftest.py that registers a plugin": {
        "shapes/area.py": BAD,
        "conftest.py": "class P:\n    def pytest_pyfunc_call(self, pyfuncitem):\n        return True\n"
        "def pytest_configure(config):\n    config.pluginmanager.register(P())\n",
    },
    "a conftest.py that swaps the tests": {
        "shapes/area.py": BAD,
        "conftest.py": "def pytest_collection_modifyitems(items):\n    for item in items:\n        item.obj = lambda **_: None\n",
    },
    "a conftest.py that swaps how they run": {
        "shapes/area.py": BAD,
        "conftest.py": "def pytest_collection_modifyitems(items):\n    for item in items:\n        item.runtest = lambda: None\n",
    },
    "a conftest.py that drops the tests": {
        "shapes/area.py": BAD,
        "conftest.py": "def pytest_collection_modifyitems(items):\n    items[:] = items[1:]\n",
    },
    "a conftest.py that fails": {"conftest.py": "1 / 0\n"},
    "a conftest.py that exits": {"conftest.py": "import sys\nsys.exit(0)\n"},
    "a conftest.py beside the tests": {
        "shapes/area.py": BAD,
        "tests/conftest.py": "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n",
    },
    "an ini file with options": {"shapes/area.py": BAD, "pytest.ini": "[pytest]\naddopts = --collect-only\n"},
    "an ini file that collects nothing": {"shapes/area.py": BAD, "pytest.ini": "[pytest]\npython_functions = nothing\n"},
    "a broken ini file": {"pytest.ini": "no section\n"},
    "an ini file that asks for a plugin": {"pytest.ini": "[pytest]\nrequired_plugins = no-such-plugin-at-all\n"},
    "an ini file for another pytest": {"tests/pytest.ini": "[pytest]\nminversion = 999\n"},
    "an error in a library": {"shapes/area.py": "import json\njson.loads('x')\n"},
    "an error under a forged name": {"shapes/area.py": "exec(compile('1/0', 'tests/test_area.py', 'exec'))\n"},
    "a name that a library lacks": {"shapes/area.py": "from os import no_such_name\n"},
    "an attribute that a library lacks": {"shapes/area.py": "import os\nos.no_such_name\n"},
    "a test file of its own": {"shapes/area.py": BAD, "tests/test_area.py": "def test_square(): pass\n"},
    "a broken json.py": {"shapes/area.py": BAD, "json.py": "raise RuntimeError\n"},
    "a broken pytest.py": {"shapes/area.py": BAD, "pytest.py": "raise RuntimeError\n"},
    "a broken sitecustomize.py": {"shapes/area.py": BAD, "sitecustomize.py": "raise RuntimeError\n"},
    "a printed report": {"shapes/area.py": "print('3 passed')\n" + BAD},
    "an exit handler": {"shapes/area.py": "import atexit, os\natexit.register(os._exit, 0)\n" + BAD},
    "deep recursion": {"shapes/area.py": "def square(x):\n    return square(x)\ncircle = square\n"},
}  # fmt: skip


def put_candidate(project, files):
    for name, text in files.items():
        path = project.workspace / name
        if text is None:
            path.unlink()
        else:
            project.put(f"app/{name}", text)


@pytest.mark.parametrize("files", CANDIDATES.values(), ids=CANDIDATES)
def test_what_a_candidate_causes_is_a_scored_zero(project, files):
    put_candidate(project, files)
    verdict = project.grade()
    assert (verdict.status, verdict.reward) == (Status.SCORED, 0.0), verdict.detail


FORGERIES = [
    name
    for name in CANDIDATES
    if name.startswith("a conftest.py that ") and "shapes/area.py" in CANDIDATES[name]
]


@pytest.mark.parametrize("name", [name for name in FORGERIES if "drops" not in name])
def test_without_the_grader_the_forgery_works(project, name):
    # The control: plain pytest reports success for the same wrong candidate.
    put_candidate(project, CANDIDATES[name])
    project.put("app/tests/test_area.py", TESTS)
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "tests/test_area.py"]
    completed = run_command(argv, project.workspace, 60)
    assert completed.returncode == 0, completed.stdout
    assert "3 passed" in completed.stdout


def test_a_conftest_that_the_task_vouches_for_keeps_its_hooks(project):
    put_candidate(project, CANDIDATES["a conftest.py that runs nothing"])
    project.put("task/manifest.txt", "conftest.py\n\n")
    assert project.grade(protected_paths_files=("manifest.txt",)).reward == 1.0


def test_a_candidate_that_shadows_the_standard_library_can_still_pass(project):
    project.put("app/json.py", "raise RuntimeError('shadowed')\n")
    assert project.grade().reward == 1.0


def test_a_module_called_json_is_graded_like_any_other(project):
    project.put("app/shapes/json.py", GOOD)
    project.put("task/tests/test_area.py", TESTS.replace("shapes.area", "shapes.json"))
    assert project.grade(candidate_modules=("shapes.json",)).reward == 1.0
    project.put("app/shapes/json.py", "raise RuntimeError\n")
    verdict = project.grade(candidate_modules=("shapes.json",))
    assert (verdict.reward, verdict.detail["files"]) == (0.0, ["shapes/json.py"])


def test_a_collection_error_names_the_candidates_files(project):
    put_candidate(project, CANDIDATES["an error while it is imported"])
    detail = project.grade().detail
    assert detail["reason"] == "collection_error"
    assert detail["category"] == "agent"
    assert detail["files"] == ["shapes/area.py"]
    assert detail["exit_code"] in (2, 3)


def test_a_conftest_that_fails_is_a_startup_error(project):
    project.put("app/conftest.py", "1 / 0\n")
    detail = project.grade().detail
    assert (detail["reason"], detail["files"], detail["total"]) == ("startup_error", ["conftest.py"], 0)


def test_compiled_copies_of_the_tests_are_not_run(project):
    forged = project.put("app/tests/__pycache__/test_area.cpython-311-pytest-9.2.0.pyc", "forged")
    project.grade()
    assert not forged.exists() or forged.read_bytes() != b"forged"


def test_tests_that_import_what_nobody_has_are_an_invalid_task(project):
    project.put("task/tests/test_area.py", "import no_such_thing_at_all\n")
    verdict = project.grade()
    assert verdict.status is Status.INVALID_TASK
    assert "no_such_thing_at_all" in verdict.detail["error"]


def test_a_later_fault_of_the_task_outranks_an_earlier_failure_of_the_candidate(project):
    project.put("app/shapes/area.py", "1 / 0\n")
    project.put("task/tests/test_second.py", "import no_such_thing_at_all\n")
    paths = ("tests/test_area.py", "tests/test_second.py")
    assert project.grade(paths=paths, batch_size=1).status is Status.INVALID_TASK


def test_tests_that_are_broken_themselves_are_not_held_against_the_candidate(project):
    project.put("task/tests/test_area.py", "1 / 0\n")
    verdict = project.grade()
    assert verdict.status is Status.INFRA_ERROR
    assert "could not collect" in verdict.detail["error"]
    project.put("task/tests/test_area.py", "raise KeyboardInterrupt\n")
    assert "interrupted" in project.grade().detail["error"]


def write_program(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize(
    "script", ["exit 1", "exit 0", "kill -9 $$", "exec false", "echo '3 passed'; exit 0"]
)  # fmt: skip
def test_a_broken_interpreter_is_an_infra_error(project, script):
    python = write_program(project.tests_dir / "python", f"#!/bin/sh\n{script}\n")
    assert project.grade(python=python).status is Status.INFRA_ERROR


def test_a_missing_interpreter_is_an_infra_error(project):
    assert project.grade(python="/no/such/python").status is Status.INFRA_ERROR


def test_an_interpreter_without_pytest_is_an_infra_error(project):
    python = write_program(project.tests_dir / "python", f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    assert project.grade(python=python).status is Status.INFRA_ERROR


def test_a_usage_error_is_an_infra_error(project):
    assert project.grade(args=("--no-such-option",)).status is Status.INFRA_ERROR
    assert project.grade(paths=("tests/none.py",)).status is Status.INFRA_ERROR


def test_a_run_past_its_deadline_is_a_scored_zero(project):
    project.put("app/shapes/area.py", "import time\ntime.sleep(60)\n")
    assert project.grade(timeout=2.0).detail["reason"] == "timeout"


def test_batches_are_merged_and_empty_ones_remembered(project):
    project.put("task/tests/test_second.py", "def test_two(): pass\n")
    paths = ("tests/test_area.py", "tests/test_second.py")
    both = (IDS[0], "tests/test_second.py::test_two")
    assert project.grade(paths=paths, batch_size=1, must_pass=both).reward == 1.0
    assert project.grade(paths=paths, must_pass=both).reward == 1.0
    project.put("task/tests/test_second.py", "")
    assert project.grade(paths=paths, batch_size=1).detail["reason"] == "no_tests"
    project.put("app/shapes/area.py", "1 / 0\n")
    assert project.grade(paths=paths[::-1], batch_size=1).detail["reason"] == "collection_error"


def test_a_test_that_ran_in_one_batch_and_was_skipped_in_another_failed(project):
    marker = project.tests_dir / "marker"
    project.put(
        "task/tests/test_area.py",
        f"import os, pytest\ndef test_once():\n    if os.path.exists({str(marker)!r}):\n        pytest.skip('')\n"
        f"    open({str(marker)!r}, 'w').close()\n",
    )
    ids = ("tests/test_area.py::test_once",)
    paths = ("tests/test_area.py", "tests/test_area.py")
    assert project.grade(paths=paths, batch_size=1, must_pass=ids).reward == 0.0


def test_expected_failures_are_absent_and_unexpected_passes_pass(project):
    project.put(
        "task/tests/test_area.py",
        "import pytest\n@pytest.mark.xfail\ndef test_x(): assert 0\n@pytest.mark.xfail\ndef test_y(): pass\n"
        "@pytest.fixture\ndef bad():\n    yield\n    1 / 0\ndef test_z(bad): pass\ndef test_ok(): pass\n",
    )
    names = [f"tests/test_area.py::{name}" for name in ("test_x", "test_y", "test_z", "test_ok")]
    rewards = [project.grade(must_pass=(name,)).reward for name in names]
    assert rewards == [0.0, 1.0, 0.0, 1.0]


def test_a_setup_runs_first_and_its_failure_counts(project):
    assert (
        project.grade(setup='test -d "$VERIFYIT_TESTS_DIR" && cd "$VERIFYIT_WORKSPACE" && touch x').reward
        == 1.0
    )
    verdict = project.grade(setup="echo no >&2; exit 3")
    assert (verdict.detail["reason"], verdict.detail["stderr"]) == ("setup_failed", "no\n")
    infra = project.grade(setup="exit 3", setup_failure_is_infra=True)
    assert (infra.status, infra.detail["error"]) == (
        Status.INFRA_ERROR,
        "GradingInfraError: pytest setup exited 3",
    )
    slow = project.grade(setup="sleep 30", setup_failure_is_infra=True, timeout=0.5)
    assert slow.detail["error"].endswith("pytest setup timed out")


@pytest.mark.parametrize(
    "fields",
    [
        {"timeout": 0.0},
        {"timeout": float("inf")},
        {"timeout": float("nan")},
        {"batch_size": -1},
        {"restore": ("missing",)},
        {"restore": ("../task",)},
        {"protected_paths_files": ("missing.txt",)},
    ],
)
def test_specs_that_cannot_be_run(project, fields):
    assert grade(project.spec(**fields), project.tests_dir, project.workspace).status is Status.INVALID_TASK


@pytest.mark.parametrize(
    "fields", [{"timeout": True}, {"batch_size": True}, {"batch_size": 1.0}, {"id_matching": "exact"}]
)
def test_values_of_the_wrong_type_are_refused_before_anything_is_restored(project, fields):
    assert grade(project.spec(**fields), project.tests_dir, project.workspace).status is Status.INVALID_TASK
    assert not (project.workspace / "tests").exists()


@pytest.mark.parametrize("line", ["../outside", "/etc/passwd"])
def test_a_manifest_cannot_leave_the_workspace(project, line):
    project.put("task/manifest.txt", f"{line}\n")
    assert project.grade(protected_paths_files=("manifest.txt",)).status is Status.INVALID_TASK


def test_a_manifest_protects_folders(project):
    project.put("app/vendor/broken.py", "1 / 0\n")
    project.put("task/tests/test_area.py", "import vendor.broken\n")
    assert project.grade().status is Status.SCORED
    project.put("task/manifest.txt", "vendor\n")
    assert project.grade(protected_paths_files=("manifest.txt",)).status is Status.INFRA_ERROR


def test_a_workspace_that_is_the_package_itself_is_importable(project):
    project.put("app/__init__.py", "")
    project.put("app/area.py", GOOD)
    project.put("task/tests/test_area.py", TESTS.replace("shapes.area", "app.area"))
    assert project.grade(candidate_modules=("app.area",)).reward == 1.0


def test_ids_are_relative_to_the_workspace_whatever_pytests_root_is(project):
    project.put("app/tests/pytest.ini", "[pytest]\n")
    assert project.grade().reward == 1.0


def test_symlinks_in_the_way_of_the_tests_are_removed_not_followed(project):
    outside = project.tests_dir.parent / "outside"
    outside.mkdir()
    (project.workspace / "tests").symlink_to(outside)
    assert project.grade().reward == 1.0
    assert list(outside.iterdir()) == []


def test_a_hard_link_in_the_way_keeps_its_own_bytes(project):
    outside = project.put("outside.py", "kept")
    (project.workspace / "tests").mkdir()
    os.link(outside, project.workspace / "tests" / "test_area.py")
    assert project.grade().reward == 1.0
    assert outside.read_text() == "kept"


def test_a_folder_in_the_way_of_a_file_is_replaced(project):
    (project.workspace / "tests" / "test_area.py").mkdir(parents=True)
    assert project.grade(restore=("tests/test_area.py",)).reward == 1.0
    project.put("app/extra", "a file where a folder belongs")
    project.put("task/extra/test_more.py", "def test_more(): pass\n")
    assert project.grade(restore=("tests", "extra")).reward == 1.0


REPORTED = {
    "t.py::a[x-1]": True,
    "t.py::a[y]": True,
    "t.py::b[z": False,
    "t.py::c[\\xe9]": True,
    "t.py::d": True,
}


@pytest.mark.parametrize(
    ("required", "found"),
    [
        (["t.py::a[x-1]"], True),
        (["t.py::a[x"], True),
        (["t.py::a["], None),
        (["t.py::a[x]"], None),
        (["t.py::c[é]"], True),
        (["t.py::d"], True),
        (["t.py::"], None),
        (["t.py::b["], False),
        (["t.py::a[x", "t.py::a[x-1"], None),
        (["t.py::s[q"], None),
        (["t.py::s["], None),
    ],
)
def test_required_ids_may_be_unique_prefixes(required, found):
    skipped = ["t.py::s[q-1]"]
    matched = match_outcomes(required, REPORTED, skipped, TestIdMatching.UNIQUE_PREFIX)
    assert matched.get(required[0]) is found


def test_an_id_reported_in_both_spellings_means_neither():
    reported = {"t.py::c[é]": True, "t.py::c[\\xe9]": True}
    assert (
        match_outcomes(["t.py::c[é]"], reported, (), TestIdMatching.UNIQUE_PREFIX).get("t.py::c[é]") is None
    )


def test_prefixes_are_matched_end_to_end(project):
    wanted = ("tests/test_area.py::test_circle[1",)
    assert project.grade(must_pass=wanted).reward == 0.0
    assert project.grade(must_pass=wanted, id_matching=TestIdMatching.UNIQUE_PREFIX).reward == 1.0


def test_the_verdict_is_plain_json(project):
    put_candidate(project, {"shapes/area.py": "print('\\udcff'.encode('utf-8', 'surrogateescape'))\n1 / 0\n"})
    assert json.loads(json.dumps(project.grade().detail))
