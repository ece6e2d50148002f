"""The command line: what is printed where, and exit codes 0 yes, 1 no, 2 could not tell."""

import io
import json
import os
import warnings
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner
from rich.console import Console

import deepgym.client
from deepgym import cli as cli_package
from deepgym.cli import cli
from deepgym.cli._printing import follow_results, make_progress
from deepgym.errors import BackendUnavailableError
from deepgym.models import Case, RunResult

VERIFIER = "def verify(solution_path):\n    return 1.0\n"
HOSTILE = "\x1b[2J\x07[bold]red[/bold] :smile: \ud800\x9b"


class FakeClient:
    """Stands in for DeepGym: the answer's first word says how the run ends."""

    outputs = None

    def __init__(self, mode="local", judge="sealed"):
        self.judge = judge
        if mode != "local":
            raise BackendUnavailableError(f"there is no mode {mode!r}: use 'local'")

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        return None

    def run(self, env, model_output):
        type(self).outputs.append((env.name, model_output))
        case = Case(id="a", passed=False, score=0, input_summary=HOSTILE, error="E" * 999)
        known = {
            "right": RunResult(score=1, passed=True, has_verdict=True, backend="local", isolation="sealed"),
            "wrong": RunResult(score=0.5, passed=False, has_verdict=True, details=HOSTILE, cases=[case] * 25),
            "lost": RunResult(
                score=0,
                passed=False,
                has_verdict=False,
                error_type="sandbox_error",
                stderr="e\n" * 99,
                details="gone",
            ),
        }
        if model_output.startswith("stop"):
            raise KeyboardInterrupt
        return known[model_output.split()[0]]

    async def arun(self, env, model_output):
        return self.run(env, next(word for word in ("right", "wrong", "lost") if word in model_output))


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run the command line in an empty folder that has one registry."""
    monkeypatch.setattr(deepgym.client, "DeepGym", FakeClient)
    monkeypatch.setattr(FakeClient, "outputs", [])
    monkeypatch.setenv("DEEPGYM_ENVIRONMENTS", str(tmp_path / "registry"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "registry" / "double"
    folder.mkdir(parents=True)
    (folder / "task.md").write_text("Write double(x).\n")
    (folder / "verifier.py").write_text(VERIFIER)
    settings = {"type": "function", "difficulty": "easy", "tags": ["a", "b"], "timeout": 7}
    (folder / "metadata.json").write_text(json.dumps(settings))

    def call(*args, stdin=None):
        return CliRunner().invoke(cli, [str(arg) for arg in args], input=stdin)

    return call


@pytest.mark.parametrize(("answer", "code"), [("right", 0), ("wrong", 1), ("lost", 2)])
def test_the_exit_code_of_a_run_is_its_verdict(call, tmp_path, answer, code):
    (tmp_path / "s.py").write_text(answer)
    assert call("run", "double", "s.py").exit_code == code
    assert call("run", "double", "--answer", "s.py").exit_code == code
    assert call("run", "registry/double", "-", stdin=answer).exit_code == code
    assert call("run", tmp_path / "registry" / "double", stdin=answer).exit_code == code
    assert FakeClient.outputs == [("double", answer)] * 4
    done = call("run", "double", "s.py", "--json")
    assert done.exit_code == code
    assert RunResult.model_validate_json(done.stdout).reward == {0: 1.0, 1: 0.5, 2: None}[code]


def test_a_run_is_shown_to_people(call):
    assert call("run", "double", "-", stdin="right").stdout == "passed  score 1  0 ms  local/sealed\n"
    lost = call("run", "double", "-", stdin="lost").stdout
    assert lost.startswith("no verdict  score 0  sandbox_error  0 ms\ngone\nstderr:\n... 59 lines ...\ne\n")


def test_what_a_solution_wrote_cannot_steer_the_terminal(call):
    out = call("run", "double", "-", stdin="wrong").stdout
    assert out.startswith("failed  score 0.5  0 of 25 cases  0 ms\n")
    assert "\\x1b[2J\\x07[bold]red[/bold] :smile: \\ud800\\x9b" in out
    assert "\x1b" not in out
    assert "... and 15 more failed cases" in out
    assert f"\na  {'E' * 99}…\n    input    \\x1b[2J" in out


def test_code_is_taken_out_of_an_answer_unless_it_is_raw(call):
    fenced = "wrong\n```python\nright\n```\n"
    assert call("run", "double", "-", stdin=fenced).exit_code == 0
    assert call("run", "double", "-", "--raw", stdin=fenced).exit_code == 1


def test_an_answer_keeps_its_bytes(call, tmp_path):
    (tmp_path / "s.py").write_bytes("right\r\nx = '\ud800\0'".encode("utf-8", "surrogatepass"))
    assert call("run", "double", "s.py").exit_code == 0
    assert FakeClient.outputs == [("double", "right\r\nx = '\ud800\0'")]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["run", "double", "absent.py"], "absent.py cannot be read: No such file"),
        (["run", "double", "return 1"], "return 1 cannot be read: No such file"),
        (["run", "double", "registry"], "registry cannot be read: Is a directory"),
        (["run", "double", "bytes.py"], "bytes.py is not UTF-8 text"),
        (["run", "absent", "s.py"], "there is no environment 'absent'"),
        (["run", "./absent", "s.py"], "there is no folder './absent'"),
        (["run", "double", "s.py", "--mode", "moon"], "there is no mode 'moon': use 'local'"),
        (
            ["run", "double", "s.py", "--speed"],
            "no option '--speed': use '--answer', '--reference', '--mode', '--judge', '--raw', '--json' or '--help'",
        ),
        (["run", "double", "s.py", "--answer", "s.py"], "name one answer"),
        (["run", "double", "s.py", "--reference"], "name one answer"),
        (["run", "double", "--reference"], "has no reference_solution"),
        (["run"], "Missing argument 'ENV'"),
        (["walk"], "there is no command 'walk': use 'add', "),
        (["show", "absent"], "there is no environment 'absent'"),
        (["show", "broken"], "task.md: is missing"),
        (["add", "absent"], "there is no folder 'absent'"),
        (["remove", "double"], "only what was added goes"),
        (["eval", "humaneval"], "Missing option '--samples'"),
        (["eval", "humaneval", "--samples", "absent.jsonl"], "absent.jsonl cannot be read"),
        (["eval", "nosuch", "--samples", "s.jsonl"], "use 'humaneval', or the path"),
        (["eval", "humaneval", "--samples", "s.jsonl", "--max-parallel", "0"], "--max-parallel"),
        (
            ["eval", "humaneval", "--samples", "s.jsonl", "--report", "no/dir.json"],
            "no/dir.json cannot be written",
        ),
    ],
)
def test_bad_usage_is_exit_code_2_with_a_reason_on_stderr(call, tmp_path, args, words):
    (tmp_path / "s.py").write_text("right")
    (tmp_path / "bytes.py").write_bytes(b"\xff")
    (tmp_path / "s.jsonl").write_text('{"task_id": "HumanEval/0", "completion": "right"}')
    (tmp_path / "registry" / "broken").mkdir()
    (tmp_path / "registry" / "broken" / "verifier.py").write_text(VERIFIER)
    done = call(*args)
    assert done.exit_code == 2
    assert words in done.stderr
    assert "Traceback" not in done.output


def test_a_verifier_that_cannot_be_parsed_is_said_with_its_line(call, tmp_path):
    (tmp_path / "registry" / "double" / "verifier.py").write_text("x = 1\ny = = 2\n")
    done = call("show", "double")
    assert done.exit_code == 2
    assert "verifier.py, line 2" in done.stderr


def test_the_reference_solution_can_be_run(call, tmp_path):
    (tmp_path / "registry" / "double" / "reference_solution.py").write_text("right")
    assert call("run", "double", "--reference").exit_code == 0


def test_an_interrupt_is_no_verdict_on_the_answer(call):
    done = call("run", "double", "-", stdin="stop")
    assert done.exit_code == 130
    assert "interrupted" in done.stderr


def test_no_answer_on_a_terminal_is_refused_and_does_not_wait(call, monkeypatch):
    monkeypatch.setattr(
        "deepgym.cli.run.sys", type("Sys", (), {"stdin": type("T", (), {"isatty": lambda: True})})
    )
    done = call("run", "double")
    assert done.exit_code == 2
    assert "no answer is given" in done.stderr


def test_the_list_shows_and_filters(call):
    out = call("list").stdout
    assert "double" in out
    assert "merge_intervals" in out
    assert "merge_intervals" not in call("list", "--tag", "a", "--tag", "b").stdout
    rows = json.loads(call("list", "--json", "--tag", "a").stdout)
    assert [(row["name"], row["type"], row["tags"]) for row in rows] == [("double", "function", ["a", "b"])]
    assert json.loads(call("list", "--json", "--tag", "a", "--difficulty", "hard").stdout) == []


def test_a_filter_that_nothing_passes_is_said(call):
    done = call("list", "--tag", "absent")
    assert done.exit_code == 0
    assert "environments has what was asked for" in done.stderr


def test_a_narrow_terminal_breaks_tags_and_never_a_name(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = call("list").stdout
    assert "evaluate_expression " in out
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_row_is_one_line_where_no_terminal_is(call, monkeypatch):
    monkeypatch.delenv("COLUMNS")
    (line,) = (line for line in call("list").stdout.splitlines() if line.startswith("evaluate_expression "))
    assert line.split()[-1] == "exceptions"


def test_a_report_that_cannot_be_written_is_said_before_anything_runs(call, tmp_path):
    (tmp_path / "s.jsonl").write_text(json.dumps({"task_id": "HumanEval/0", "completion": "right"}) + "\n")
    done = call("eval", "humaneval", "--samples", "s.jsonl", "--report", ".")
    assert done.exit_code == 2
    assert ". cannot be written" in done.stderr
    assert FakeClient.outputs == []


def test_a_warning_is_a_line_for_people(monkeypatch, capsys):
    command = SimpleNamespace(main=lambda **_: warnings.warn("no wall", RuntimeWarning, stacklevel=1))
    monkeypatch.setattr(cli_package, "cli", command)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        cli_package.main()
    assert capsys.readouterr().err == "deepgym: warning: no wall\n"


def test_every_command_says_in_one_whole_line_what_it_does(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    commands = call("--help").stdout.partition("Commands:")[2]
    assert commands
    assert "..." not in commands


def test_a_broken_folder_is_said_beside_the_list(call, tmp_path):
    (tmp_path / "registry" / "broken").mkdir()
    (tmp_path / "registry" / "broken" / "task.md").write_text("t")
    done = call("list")
    assert done.exit_code == 2
    assert "broken: " in done.stderr
    assert "double" in done.stdout


def test_an_environment_is_shown(call):
    out = call("show", "double").stdout
    assert "Write double(x)." in out
    assert "verify_function" in out
    data = json.loads(call("show", "double", "--json").stdout)
    assert (data["name"], data["verifier_shape"], data["timeout"]) == ("double", "verify_function", 7.0)
    assert os.path.isdir(data["path"])


def test_an_environment_is_added_and_removed(call, tmp_path, monkeypatch):
    assert call("add", "registry/double").exit_code == 0
    monkeypatch.setenv("DEEPGYM_ENVIRONMENTS", "")
    assert call("show", "double").exit_code == 0
    again = call("add", "registry/double")
    assert again.exit_code == 2
    assert "remove it first" in again.stderr
    done = call("remove", "double")
    assert (done.exit_code, done.stdout.startswith("removed ")) == (0, True)
    assert call("show", "double").exit_code == 2


@pytest.mark.parametrize(
    ("words", "code"), [(["right"], 0), (["right", "wrong"], 1), (["right", "wrong", "lost"], 2)]
)
def test_a_dataset_is_evaluated(call, tmp_path, words, code):
    lines = [
        json.dumps({"task_id": f"HumanEval/{i}", "completion": f"    {word}"}) for i, word in enumerate(words)
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(lines))
    done = call(
        "eval", "humaneval", "--samples", "s.jsonl", "--report", "out.json", "--json", "--max-parallel", "1"
    )
    assert done.exit_code == code
    figures = json.loads(done.stdout)
    assert (figures["samples"], figures["passed"], figures["no_verdict_count"]) == (
        len(words),
        1,
        len(words) // 3,
    )
    assert figures["tasks_without_sample"] == 164 - len(words)
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["pass_rate"] == figures["pass_rate"]
    assert [row["task_id"] for row in report["results"]] == [f"HumanEval/{i}" for i in range(len(words))]
    shown = call("eval", "humaneval", "--samples", "s.jsonl")
    assert shown.exit_code == code
    assert f"pass rate         {1 / len(words):.4f}" in shown.stdout
    assert ("HumanEval/2: no verdict: sandbox_error: gone" in shown.stdout) == (code == 2)


def test_progress_counts_what_passed():
    progress = make_progress(Console(file=io.StringIO(), force_terminal=True, width=100))
    follow = follow_results(progress, 2)
    follow(RunResult(score=1, passed=True, has_verdict=True))
    follow(RunResult(score=0, passed=False, has_verdict=True))
    task = progress.tasks[0]
    assert (task.completed, task.total, task.description) == (2, 2, "1 passed")


def test_every_command_has_help_and_a_module(call):
    assert call("list").exit_code == 0
    assert call("--help").exit_code == 0
    for name in cli_package.COMMANDS:
        done = call(name, "--help")
        assert done.exit_code == 0
        assert "Exit code" in done.stdout
        assert isinstance(cli.get_command(click.Context(cli), name), click.Command)
    assert call("--version").stdout.count(".") == 2
