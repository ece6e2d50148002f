"""`deepgym new` writes environments of every kind that are sound as they stand."""

import shutil

import pytest
from click.testing import CliRunner

from deepgym import DeepGym
from deepgym.cli import cli
from deepgym.errors import UsageError
from deepgym.qa.check import check_target
from deepgym.qa.subject import find_targets
from deepgym.scaffold import KINDS, write_scaffold


@pytest.fixture(scope="module")
def client():
    with DeepGym(mode="local") as client:
        yield client


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_environment_is_sound_and_has_known_answers(client, tmp_path, kind):
    write_scaffold(tmp_path / "my_task", kind)
    (target,) = find_targets((str(tmp_path / "my_task"),))
    subject = target.load()
    assert subject.reference is not None
    assert subject.right
    assert subject.wrong
    assert [finding.to_json() for finding in check_target(client, target).findings] == []


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"spec"}))
def test_its_cases_are_drawn_anew_for_every_run(client, tmp_path, kind):
    write_scaffold(tmp_path / "my_task", kind)
    (target,) = find_targets((str(tmp_path / "my_task"),))
    subject = target.load()
    seeds = {client.run(subject.environment, subject.reference.text).seed for _ in range(3)}
    assert len(seeds) == 3


@pytest.mark.parametrize("name", ["2sum", "class", "Two-Words.v2", "lambda"])
@pytest.mark.parametrize("kind", ["function", "class"])
def test_any_name_gives_names_that_python_takes(client, tmp_path, name, kind):
    write_scaffold(tmp_path / name, kind)
    (target,) = find_targets((str(tmp_path / name),))
    assert check_target(client, target).exit_code == 0


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "my_task").mkdir()
    (tmp_path / "my_task" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="is there already"):
        write_scaffold(tmp_path / "my_task", "function")
    assert [path.name for path in (tmp_path / "my_task").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(("name", "kind"), [("..", "function"), ("a b", "function"), ("ok", "novel")])
def test_names_and_kinds_that_cannot_be_are_refused(tmp_path, name, kind):
    with pytest.raises(UsageError):
        write_scaffold(tmp_path / name, kind)


def test_the_command_lists_what_it_wrote_and_says_what_is_next(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["new", "my_task", "--kind", "stdio"])
    assert result.exit_code == 0
    assert "my_task/verifier.py" in result.stdout.splitlines()
    assert "deepgym check my_task" in result.stderr
    assert CliRunner().invoke(cli, ["new", "my_task"]).exit_code == 2
    shutil.rmtree("my_task")
    assert CliRunner().invoke(cli, ["new", "my_task"]).exit_code == 0
