"""Answer files, grading by file, and both commands."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import verifyit
from verifyit import candidate as candidate_module
from verifyit import candidate_file
from verifyit import grade as grade_module
from verifyit.__main__ import main as run_command
from verifyit._answer import MAX_ANSWER_CHARACTERS
from verifyit.candidate import (
    IN_PROCESS_MODES,
    candidate_spec,
    check_task,
    grade_candidate,
    supports_in_process,
)
from verifyit.file_ops.read import MAX_ARTIFACT_BYTES, TooLargeError, read_regular_bytes, read_text
from verifyit.grade import (
    GRADERS,
    empty_output_policy,
    grade,
    grader_for,
    local_output_path,
    main,
    mode_module,
    negative_candidate,
    positive_candidate,
    read_output,
    run,
)
from verifyit.modes import grade_exact
from verifyit.reward import GradingInfraError, InvalidTask, Reward, Status, scored
from verifyit.spec import (
    EmptyOutputPolicy,
    ExactSpec,
    IfevalSpec,
    JudgeSpec,
    MathSpec,
    McqSpec,
    Mode,
    NumericSpec,
    ScriptSpec,
    StdioSpec,
    UnsolvableSpec,
    parse_spec,
)

GRADE = EmptyOutputPolicy.GRADE


@pytest.fixture
def task(tmp_path):
    """A task's folder and a workspace, and how to put something in each."""

    class Task:
        tests, workspace, logs = tmp_path / "tests", tmp_path / "app", tmp_path / "logs"
        spec_path = tests / "verifier.toml"

        def spec(self, text):
            self.spec_path.write_text(text)
            return self

        def answer(self, text, name="answer.txt"):
            path = self.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            return self

        def run(self):
            return run(self.spec_path, self.workspace)

        def files(self):
            return {path.name: path.read_text() for path in self.logs.iterdir()} if self.logs.exists() else {}

    for folder in (Task.tests, Task.workspace):
        folder.mkdir()
    return Task()


EXACT = 'mode = "exact"\nexpected = ["yes"]\n'


@pytest.mark.parametrize(
    ("output", "path"),
    [
        ("/app/answer.txt", "W/answer.txt"), ("/app/a/b.txt", "W/a/b.txt"), ("/app", "W"), ("/application/a", "/application/a"),
        ("/tmp/a", "/tmp/a"), ("a/b", "a/b"), ("app/a", "app/a"),
    ],
)  # fmt: skip
def test_paths_below_app_move_to_the_workspace(output, path):
    assert local_output_path(output, Path("W")) == Path(path)


def test_an_answer_is_read_with_its_policy(task):
    spec = ExactSpec(("yes",))
    assert read_output(spec, task.workspace) is None
    task.answer(" \n")
    assert read_output(spec, task.workspace) is None
    assert read_output(ExactSpec(("yes",), empty_output=GRADE), task.workspace) == " \n"
    task.answer(b"a\xffb\r\nc\rd")
    assert read_output(spec, task.workspace) == "a\ufffdb\nc\nd"


@pytest.mark.parametrize("policy", [EmptyOutputPolicy.ZERO, GRADE])
def test_what_is_no_regular_file_is_no_answer(task, policy):
    spec = ExactSpec(("yes",), empty_output=policy)
    (task.workspace / "answer.txt").mkdir()
    assert read_output(spec, task.workspace) is None
    (task.workspace / "answer.txt").rmdir()
    os.mkfifo(task.workspace / "answer.txt")
    assert read_output(spec, task.workspace) is None
    assert read_output(ExactSpec(("x",), output="/app", empty_output=policy), task.workspace) is None
    assert read_output(ExactSpec(("x",), output="/app/\x00", empty_output=policy), task.workspace) is None
    assert (
        read_output(ExactSpec(("x",), output="/app/a/b", empty_output=policy), task.workspace / "gone")
        is None
    )


def test_an_answer_linked_to_the_spec_scores_zero(task):
    task.spec('mode = "exact"\nexpected = ["secret"]\nsubstring = true\n')
    (task.workspace / "answer.txt").symlink_to(task.spec_path)
    assert (task.run().status, task.run().reward) == ("scored", 0.0)
    (task.workspace / "answer.txt").unlink()
    task.answer("the secret")
    assert task.run().reward == 1.0


def test_a_folder_linked_to_the_tests_scores_zero(task):
    task.spec('mode = "exact"\nexpected = ["secret"]\nsubstring = true\noutput = "/app/out/verifier.toml"\n')
    (task.workspace / "out").symlink_to(task.tests)
    assert (task.run().status, task.run().reward) == ("scored", 0.0)
    (task.workspace / "out").unlink()
    task.answer("secret", "out/verifier.toml")
    assert task.run().reward == 1.0


def test_a_workspace_that_is_itself_a_link_is_the_callers(task, tmp_path):
    task.spec(EXACT).answer("yes")
    (tmp_path / "link").symlink_to(task.workspace)
    assert run(task.spec_path, tmp_path / "link").reward == 1.0


def test_answers_elsewhere_are_read_where_they_are(task, tmp_path, monkeypatch):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("yes")
    spec = ExactSpec(("yes",), output=str(outside / "a.txt"))
    assert grade(spec, task.tests, task.workspace).reward == 1.0
    monkeypatch.chdir(outside)
    assert grade(ExactSpec(("yes",), output="a.txt"), task.tests, task.workspace).reward == 1.0
    (outside / "b.txt").symlink_to(outside / "a.txt")
    assert grade(ExactSpec(("yes",), output="b.txt"), task.tests, task.workspace).reward == 0.0


def test_an_answer_over_the_limit_scores_zero(task):
    spec = ExactSpec(("a",), substring=True)
    task.answer("a" * MAX_ANSWER_CHARACTERS)
    assert grade(spec, task.tests, task.workspace).reward == 1.0
    for size in (MAX_ANSWER_CHARACTERS + 1, 5 * MAX_ANSWER_CHARACTERS):
        task.answer("a" * size)
        verdict = grade(spec, task.tests, task.workspace)
        assert (verdict.status, verdict.reward, verdict.detail["reason"]) == (
            "scored",
            0.0,
            "answer_too_large",
        )
    verdict = grade_candidate(spec, "a" * (MAX_ANSWER_CHARACTERS + 1), {})
    assert (verdict.reward, verdict.detail["reason"]) == (0.0, "answer_too_large")


def test_the_policy_is_checked_first(task):
    bad = ExactSpec(("a",), empty_output="grade")
    with pytest.raises(InvalidTask):
        read_output(bad, task.workspace)
    assert grade(bad, task.tests, task.workspace).status == "invalid_task"
    assert empty_output_policy(StdioSpec("x")) is EmptyOutputPolicy.ZERO


def test_bounded_reading_refuses_links_and_size(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * MAX_ARTIFACT_BYTES)
    assert len(read_regular_bytes(tmp_path / "a")) == MAX_ARTIFACT_BYTES
    (tmp_path / "a").write_bytes(b"x" * (MAX_ARTIFACT_BYTES + 1))
    with pytest.raises(TooLargeError):
        read_regular_bytes(tmp_path / "a")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "b").write_bytes(b"b")
    (tmp_path / "link").symlink_to(tmp_path / "d" / "b")
    (tmp_path / "dlink").symlink_to(tmp_path / "d")
    os.mkfifo(tmp_path / "fifo")
    for path in ("link", "dlink/b", "d", "fifo", "gone", "gone/b"):
        with pytest.raises(OSError):
            read_regular_bytes(tmp_path / path)


def test_texts_of_the_task_are_read_up_to_a_limit(tmp_path):
    (tmp_path / "a").write_bytes("é\r\nb".encode() + b"\xff")
    assert read_text(tmp_path / "a", characters=2, errors="replace") == "é\n"
    assert read_text(tmp_path / "a", errors="ignore") == "é\nb"
    with pytest.raises(UnicodeDecodeError):
        read_text(tmp_path / "a")


@pytest.mark.parametrize(
    "text",
    [None, "", "mode = 5", 'mode = "mcq"', "= x", 'mode = "ifeval"\nconstraints = 5', 'mode = "ifeval"\nconstraints = [5]',
     'mode = "ifeval"\n[[constraints]]\nparams = {}', 'mode = "exact"\nexpected = []'],
    ids=range(9),
)  # fmt: skip
def test_an_unreadable_spec_is_an_invalid_task_and_clears_what_was_there(task, text):
    if text is not None:
        task.spec(text)
    task.answer("yes")
    task.logs.mkdir()
    (task.logs / "reward.txt").write_text("1.0\n")
    (task.logs / "reward.json").write_text('{"reward": 1.0}')
    code = main([str(task.spec_path), "--logs-dir", str(task.logs), "--workspace", str(task.workspace)])
    assert code == 0
    assert set(task.files()) == {"verdict.json"}
    assert json.loads(task.files()["verdict.json"])["status"] == "invalid_task"
    if text != 'mode = "exact"\nexpected = []':
        assert "cannot read verifier spec" in task.run().detail["error"]


def test_a_spec_that_is_not_utf8_is_an_invalid_task(task):
    task.spec_path.write_bytes(b'mode = "mcq"\nexpected = "\xff"')
    assert task.run().status == "invalid_task"


def grader_that(outcome):
    def grader(spec, tests_dir, workspace):
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    return grader


@pytest.mark.parametrize(
    ("outcome", "status", "error"),
    [
        (scored(0.5), "scored", None),
        (InvalidTask("bad"), "invalid_task", "bad"),
        (GradingInfraError("late", code=3), "infra_error", "GradingInfraError: late"),
        (KeyError("x"), "infra_error", "KeyError: 'x'"),
        (RecursionError("deep"), "infra_error", "RecursionError: deep"),
        (ImportError("no openai"), "infra_error", "ImportError: no openai"),
        (Reward(7.0, Status.SCORED), "infra_error", None),
        ("nonsense", "infra_error", None),
        (GradingInfraError("odd", value=object()), "infra_error", None),
    ],
    ids=range(9),
)
def test_whatever_a_grader_does_is_a_verdict(task, monkeypatch, outcome, status, error):
    monkeypatch.setitem(GRADERS, Mode.EXACT, grader_that(outcome))
    verdict = task.spec(EXACT).run()
    assert verdict.status == status
    if error is not None:
        assert verdict.detail["error"] == error
    if isinstance(outcome, GradingInfraError) and "code" in outcome.detail:
        assert verdict.detail["code"] == 3


def test_grade_converts_invalid_tasks_only(task, monkeypatch):
    monkeypatch.setitem(GRADERS, Mode.EXACT, grader_that(GradingInfraError("late")))
    with pytest.raises(GradingInfraError):
        grade(ExactSpec(("a",)), task.tests, task.workspace)
    with pytest.raises(ValueError):
        grade("not a spec", task.tests, task.workspace)


def test_modes_load_on_first_use():
    assert mode_module(Mode.EXACT) is grade_exact
    assert grader_for(Mode.EXACT) is grade_exact.grade
    with pytest.raises(AttributeError):
        grade_module.nonsense  # noqa: B018 - the access is the test


def test_the_command_writes_the_verdict_and_says_it(task):
    task.spec(EXACT).answer("yes")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "verifyit",
            str(task.spec_path),
            "--logs-dir",
            str(task.logs),
            "--workspace",
            str(task.workspace),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "INFO" in done.stderr
    assert "reward=1.0 status=scored" in done.stderr
    assert task.files()["reward.txt"] == "1.0\n"
    assert json.loads(task.files()["verdict.json"])["detail"] == {"extracted": "yes", "expected": ["yes"]}


def test_wrong_usage_exits_two(capsys):
    for command, arguments in ((main, []), (main, ["a", "b"]), (candidate_file.main, ["--spec", "x"])):
        with pytest.raises(SystemExit) as caught:
            command(arguments)
        assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


def candidate_command(task, manifest="[]", answer="/app/answer.txt"):
    (task.tests / "manifest.json").write_text(manifest)
    code = candidate_file.main(
        ["--spec", str(task.spec_path), "--answer", answer, "--workspace", str(task.workspace), "--logs-dir", str(task.logs),
         "--resources-manifest", str(task.tests / "manifest.json")]
    )  # fmt: skip
    assert code == 0
    return json.loads(task.files()["verdict.json"])


@pytest.mark.parametrize(
    ("spec", "answer", "status", "reward"),
    [
        ('mode = "mcq"\nexpected = "C"', "C", "scored", 1), ('mode = "mcq"\nexpected = "C"', "Answer: C", "scored", 0),
        (EXACT, "\\boxed{yes}", "scored", 0), (EXACT, "yes", "scored", 1), (EXACT, b"\xff", "scored", 0), (EXACT, " ", "scored", 0),
        ('mode = "structured_exact"\nexpected = "1"', "1", "scored", 0), ("mode = 'structured_exact'\nexpected = '\"1\"'", "1", "scored", 1),
        ("mode = 'predicted_action'\n[[expected_calls]]\nname = 'f'\narguments = '{}'", '[{"name": "f", "arguments": {}}]', "scored", 1),
        ("mode = 'predicted_action'\n[[expected_calls]]\nname = 'f'\narguments = '{}'", "f()", "scored", 0),
        ('mode = "numeric"\nexpected = "x"\ntolerance_abs = 0\ntolerance_rel = 0', "1", "invalid_task", 0),
        ('mode = "script"\npath = "x.sh"', "1", "invalid_task", 0), ("mode = ", "1", "invalid_task", 0),
        ('mode = "ifeval"\nconstraints = [5]', "1", "invalid_task", 0),
    ],
    ids=range(14),
)  # fmt: skip
def test_the_candidate_command_grades_the_whole_text_and_always_gives_a_verdict(
    task, spec, answer, status, reward
):
    task.spec(spec).answer(answer)
    task.logs.mkdir()
    (task.logs / "reward.txt").write_text("1.0\n")
    verdict = candidate_command(task)
    assert (verdict["status"], verdict["reward"]) == (status, reward)
    assert ("reward.txt" in task.files()) == (status == "scored")


def test_the_candidate_command_reads_resources_beside_the_manifest(task):
    task.spec('mode = "json-schema"\nschema = "s.json"\n').answer("[1]")
    (task.tests / "s.json").write_text('{"type": "array"}')
    assert candidate_command(task, '["s.json"]')["reward"] == 1.0
    assert candidate_command(task, "[]")["status"] == "invalid_task"
    for manifest in ('["gone.json"]', "{}", "[5]", "x", "[" * 100_000, '["\\u0000"]'):
        assert candidate_command(task, manifest)["status"] == "invalid_task"


def test_a_missing_answer_is_no_output_unless_the_task_is_unusable(task):
    assert candidate_command(task.spec(EXACT))["detail"] == {"reason": "no_output"}
    assert candidate_command(task.spec('mode = "exact"\nexpected = []'))["status"] == "invalid_task"
    assert candidate_command(task.spec('mode = "math"\nexpected = "@@"'))["status"] == "invalid_task"
    (task.workspace / "answer.txt").symlink_to(task.spec_path)
    assert candidate_command(task.spec(EXACT))["reward"] == 0.0


def test_a_crash_of_the_candidate_command_is_an_infra_error(task, monkeypatch):
    monkeypatch.setattr(candidate_file, "grade_candidate", grader_that(OSError("disk")))
    assert candidate_command(task.spec(EXACT).answer("yes"))["detail"] == {"error": "OSError: disk"}


def test_the_candidate_command_runs_as_a_module(task):
    task.spec(EXACT).answer("yes", "sub/a.txt")
    (task.tests / "m.json").write_text("[]")
    done = subprocess.run(
        [sys.executable, "-m", "verifyit.candidate_file", "--spec", str(task.spec_path), "--answer", "/app/sub/a.txt", "--workspace",
         str(task.workspace), "--logs-dir", str(task.logs), "--resources-manifest", str(task.tests / "m.json")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "reward=1.0 status=scored" in done.stderr
    assert task.files()["reward.txt"] == "1.0\n"


def test_the_in_process_modes_are_those_of_the_contract():
    assert {
        "exact", "numeric", "mcq", "math", "ifeval", "json-schema", "xml-elements", "csv-columns", "structured_exact", "predicted_action",
        "unsolvable", "structure_closure",
    } <= IN_PROCESS_MODES  # fmt: skip
    assert not IN_PROCESS_MODES & {"reasoning-gym", "judge", "stdio", "pytest", "junit", "gotest", "script"}
    assert supports_in_process("exact")
    assert not supports_in_process("script")
    assert not supports_in_process("nonsense")


@pytest.mark.parametrize(
    ("mode", "parameters"),
    [("nonsense", {}), ("script", {"path": "x"}), ("judge", {}), ("exact", {"mode": "exact", "expected": "a"}), ("exact", {}), ("exact", {"x": 1, "expected": "a"})],
)  # fmt: skip
def test_what_does_not_declare_an_in_process_spec_is_a_value_error(mode, parameters):
    with pytest.raises(ValueError):
        candidate_spec(mode, parameters)


def test_only_in_process_modes_are_graded_in_process():
    for call in (lambda: grade_candidate(ScriptSpec("x"), "a", {}), lambda: check_task(ScriptSpec("x"), {})):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("candidate", [None, 5, b"a", ["a"], ("a",), {"a": 1}])
def test_a_candidate_of_the_wrong_type_is_a_type_error_after_the_spec_is_checked(candidate):
    with pytest.raises(TypeError):
        grade_candidate(ExactSpec(("a",)), candidate, {})
    assert grade_candidate(ExactSpec(()), candidate, {}).status == "invalid_task"


def test_errors_of_graders_become_verdicts_in_process_and_others_propagate(monkeypatch):
    monkeypatch.setattr(grade_exact, "grade_exact_candidate", grader_that(GradingInfraError("late", code=3)))
    with pytest.raises(TypeError):
        grade_candidate(ExactSpec(("a",)), "a", {})

    def late(spec, candidate):
        raise GradingInfraError("late", code=3)

    monkeypatch.setattr(grade_exact, "grade_exact_candidate", late)
    verdict = grade_candidate(ExactSpec(("a",)), "a", {})
    assert (verdict.status, verdict.detail) == ("infra_error", {"error": "late", "code": 3})


PROBED = [
    McqSpec("c"), MathSpec("\\frac{1}{2}"), NumericSpec("1/2", 0.1, 0.0), NumericSpec("-5", 100.0, 0.5), NumericSpec("9" * 4096, 0.0, 0.0),
    ExactSpec(("a",)), ExactSpec(("a", "b")), ExactSpec(("a", "b"), ordered=False), ExactSpec(("a", "a")), ExactSpec(("a b",), substring=True),
    ExactSpec(("",), empty_output=GRADE),
]  # fmt: skip


@pytest.mark.parametrize("spec", PROBED, ids=range(len(PROBED)))
def test_probes_pass_and_fail_as_they_say(task, spec):
    positive = positive_candidate(spec)
    assert positive is not None
    assert grade_candidate(spec, positive, {}).reward == 1.0
    task.answer(positive)
    assert grade(spec, task.tests, task.workspace).reward == 1.0
    negative = negative_candidate(spec)
    if negative is not None:
        assert grade_candidate(spec, negative, {}).reward == 0.0
        task.answer(negative)
        assert grade(spec, task.tests, task.workspace).reward == 0.0


def test_probes_say_when_they_have_none():
    assert negative_candidate(McqSpec("A", 1)) is None
    assert negative_candidate(MathSpec("1")) is None
    assert negative_candidate(ExactSpec(("a",))) is None
    assert negative_candidate(ExactSpec(("a", "b"), ordered=False)) is None
    assert negative_candidate(ExactSpec(("a", "a"))) is None
    assert negative_candidate(ExactSpec(("a", "b"))) == "b\na"
    assert positive_candidate(ExactSpec(("",))) is None
    assert positive_candidate(UnsolvableSpec()) is None
    assert positive_candidate(IfevalSpec(())) is None
    assert negative_candidate(NumericSpec("1" + "0" * 4095, 1e300, 1e10)).startswith("\\boxed{")
    for digits in ("9" * 4096, "-" + "9" * 4096):
        assert negative_candidate(NumericSpec(digits, 0.0, 0.0)).startswith("\\boxed{")


def test_no_number_is_far_enough_when_both_sides_break_the_limit():
    assert negative_candidate(NumericSpec("9" * 4096, 0.0, 1.0e9)) == "\\boxed{}"


def test_the_gate_of_a_judge_gives_an_answer_away():
    assert positive_candidate(JudgeSpec(references=(" ", "Paris"))) == "Paris"
    assert positive_candidate(JudgeSpec(references=("Paris",), exact_gate=False)) is None
    assert positive_candidate(JudgeSpec(references=("Paris",), constraints=(object(),))) is None
    assert positive_candidate(JudgeSpec(rubric="checklist", criteria=("x",))) is None
    labels = {"rubric": "labels", "label_scores": {"A": 1, "B": 0}, "exact_gate_answers": ("x",)}
    assert positive_candidate(JudgeSpec(**labels, exact_gate_label="A")) == "x"
    assert positive_candidate(JudgeSpec(**labels, exact_gate_label="B")) is None
    assert negative_candidate(JudgeSpec(references=("Paris",))) is None


def test_the_package_names_what_it_offers():
    assert set(verifyit.__all__) <= set(dir(verifyit))
    assert verifyit.grade_candidate is candidate_module.grade_candidate


CHEAP = [
    ('mode = "exact"\nexpected = ["a", "b"]', {}), ('mode = "numeric"\nexpected = "1"\ntolerance_abs = 0\ntolerance_rel = 0', {}),
    ('mode = "mcq"\nexpected = "A"', {}), ('mode = "structured_exact"\nexpected = "[1]"', {}), ('mode = "unsolvable"', {}),
    ("mode = 'predicted_action'\n[[expected_calls]]\nname = 'f'\narguments = '{}'", {}),
    ("mode = 'structure_closure'\nformat = 'json'\nprefix = '{'\nexpected = '{}'", {}),
    ("mode = 'xml-elements'\nrequired = ['a']", {}), ("mode = 'csv-columns'\nrequired = ['a']", {}),
    ("mode = 'ifeval'\n[[constraints]]\nname = 'punctuation:no_comma'", {}),
]  # fmt: skip


@given(
    st.text() | st.text(alphabet="\\boxed{}[]\"':,0123456789.eE-+/Answer: <>ab\n`\ud800\u2028"),
    st.sampled_from(CHEAP),
)
def test_no_text_is_ever_unscored(tmp_path_factory, text, row):
    spec = parse_spec(row[0])
    if tomllib.loads(row[0])["mode"] != "predicted_action":
        assert grade_candidate(spec, text, row[1]).status == "scored"
    folder = tmp_path_factory.mktemp("app")
    (folder / "answer.txt").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert grade(spec, folder, folder).status == "scored"


def test_the_command_says_where_a_verdict_cannot_be_written(tmp_path, capsys):
    (tmp_path / "taken").write_text("")
    code = run_command(["absent.toml", "--logs-dir", str(tmp_path / "taken")])
    assert code == 1
    err = capsys.readouterr().err
    assert f"verifyit: the verdict cannot be written: {tmp_path / 'taken'}" in err
    assert err.endswith("name a folder with --logs-dir\n")
