"""Mode gotest: streams of the go tool, replayed everywhere, and made by it where it is installed."""

import json
import os
import shutil

import pytest

from verifyit.execution import command
from verifyit.grade import grade
from verifyit.modes.grade_gotest import parse_events
from verifyit.reward import Status
from verifyit.spec import GotestSpec

PACKAGE = "example.com/m"


def events(*actions, package=PACKAGE):
    lines = []
    for action in actions:
        name, _, test = action.partition(" ")
        lines.append(json.dumps({"Action": name, "Package": package} | ({"Test": test} if test else {})))
    return "".join(f"{line}\n" for line in lines)


PASSED = events("start", "run TestA", "output TestA", "pass TestA", "run TestB", "skip TestB", "pass")


@pytest.fixture
def go(tmp_path, monkeypatch):
    """A stand-in for the go tool: it prints a recorded stream and notes how it was called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (tmp_path / "app").mkdir()

    def replay(stream, code=0, delay=0):
        (folder / "stream").write_text(stream)
        (folder / "go").write_text(
            f'#!/bin/sh\necho "$@" > {folder}/argv\nsleep {delay}\ncat {folder}/stream\nexit {code}\n'
        )
        (folder / "go").chmod(0o755)

    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return replay


def graded(tmp_path, **fields):
    return grade(GotestSpec(**fields), tmp_path, tmp_path / "app")


def test_events_become_outcomes():
    stream = PASSED + events("run TestA", "fail TestA", "fail") + 'text\n{"broken\n{"Action": 1}\n[]\n{}\n'
    assert parse_events(stream) == {f"{PACKAGE}.TestA": False}
    assert parse_events(PASSED) == {f"{PACKAGE}.TestA": True}
    assert parse_events("{" * 100_000) == {}


def test_all_tests_passing_is_one(go, tmp_path):
    go(PASSED)
    verdict = graded(tmp_path, args=("-count=1",), packages=("./a", "./b"))
    assert (verdict.reward, verdict.detail["exit_code"]) == (1.0, 0)
    assert (tmp_path / "bin" / "argv").read_text() == "test -json -count=1 ./a ./b\n"


@pytest.mark.parametrize(
    ("stream", "code", "fields", "detail"),
    [
        (PASSED, 0, {"must_pass": (f"{PACKAGE}.TestB",)}, {"first_failure": f"{PACKAGE}.TestB"}),
        (events("run TestA", "fail TestA", "fail"), 1, {}, {"first_failure": f"{PACKAGE}.TestA"}),
        # os.Exit(1) in the candidate: the test has no end, its package has.
        (
            events("run TestA", "pass TestA", "run TestB", "fail"),
            1,
            {},
            {"first_failure": f"{PACKAGE}.TestB"},
        ),
        # One package does not build while another passes.
        (
            PASSED + events("start", "fail", package="example.com/b"),
            1,
            {},
            {"first_failure": "example.com/b"},
        ),
        (events("start", "fail"), 1, {}, {"reason": "no_tests"}),
        ("# build failed\n", 1, {}, {"reason": "no_tests"}),
        ("", 0, {}, {"reason": "no_tests"}),
    ],
)
def test_what_candidates_cause_is_a_scored_zero(go, tmp_path, stream, code, fields, detail):
    go(stream, code)
    verdict = graded(tmp_path, **fields)
    assert (verdict.status, verdict.reward) == (Status.SCORED, 0.0)
    assert detail.items() <= verdict.detail.items()


@pytest.mark.parametrize(
    ("stream", "code"),
    [
        (PASSED, 2),
        (PASSED, 1),
        (events("start", "run TestA", "pass TestA"), 0),
        (PASSED + events("start", package="example.com/b"), 0),
    ],
)
def test_what_the_go_tool_causes_is_an_infra_error(go, tmp_path, stream, code):
    go(stream, code)
    with pytest.raises(RuntimeError):
        graded(tmp_path)


def test_time_and_output_are_bounded(go, tmp_path, monkeypatch):
    go(PASSED, delay=60)
    assert graded(tmp_path, timeout=0.5).detail["reason"] == "timeout"
    monkeypatch.setattr(command, "MAX_OUTPUT_BYTES", 10)
    go(PASSED)
    assert graded(tmp_path).detail["reason"] == "output_too_large"


def test_files_are_restored_and_the_setup_runs(go, tmp_path):
    go(PASSED)
    (tmp_path / "m_test.go").write_text("package m")
    assert graded(tmp_path, restore=("m_test.go",), setup="test -f m_test.go").reward == 1.0
    assert graded(tmp_path, setup="exit 1").detail["reason"] == "setup_failed"
    assert graded(tmp_path, restore=("none.go",)).status is Status.INVALID_TASK
    assert graded(tmp_path, timeout=-1.0).status is Status.INVALID_TASK


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("go") is None, reason="the go tool is not installed")
@pytest.mark.parametrize(
    ("body", "reward"),
    [("return a + b", 1.0), ("return a - b", 0.0), ("os.Exit(1); return 0", 0.0), ("os.Exit(0); return 0", 0.0), ("(", 0.0),
     ('panic("x")', 0.0)],
)  # fmt: skip
def test_the_real_tool_on_a_real_package(tmp_path, tmp_path_factory, monkeypatch, body, reward):
    # One cache for all of them: the tool compiles its own library only once.
    monkeypatch.setenv("GOCACHE", str(tmp_path_factory.getbasetemp() / "go-cache"))
    app = tmp_path / "app"
    app.mkdir()
    (tmp_path / "m_test.go").write_text(
        'package m\nimport "testing"\nfunc TestZero(t *testing.T) {}\n'
        "func TestAdd(t *testing.T) { if Add(1, 2) != 3 { t.Fatal() } }\n"
    )
    (app / "go.mod").write_text(f"module {PACKAGE}\ngo 1.19\n")
    imports = 'import "os"\n' if "os." in body else ""
    (app / "m.go").write_text(f"package m\n{imports}func Add(a, b int) int {{ {body} }}\n")
    verdict = graded(tmp_path, restore=("m_test.go",))
    assert (verdict.status, verdict.reward) == (Status.SCORED, reward), verdict.detail
