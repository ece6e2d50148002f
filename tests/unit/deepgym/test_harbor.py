"""Task folders in Harbor's layout: read, and refused where an answer that is one text cannot be all of it."""

import os

import pytest

from deepgym.errors import EnvironmentFileError
from deepgym.harbor import is_harbor_task, read_harbor_task
from deepgym.registry import list_environments, load_environment


def make(path, **files):
    for name, text in {"instruction.md": "i", "tests/test.sh": "exit 0\n", **files}.items():
        if text is not None:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(text)
    return path


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"task.toml": "["}, "is not TOML"),
        ({"task.toml": "", "instruction.md": None}, "is missing"),
        ({"task.toml": "", "tests/test.sh": None}, "test.sh: is missing"),
        ({"task.toml": "", "tests/test.sh": None, "tests/test.bat": "x"}, "test.sh: is missing"),
        ({"task.toml": '[[steps]]\nname = "a"\n'}, "several steps"),
        ({"task.toml": '[verifier.environment]\ndocker_image = "x"\n'}, "image of its own"),
        ({"task.toml": "[verifier]\ntimeout_sec = -1\n"}, "no number of seconds"),
        ({"task.toml": "[verifier]\ntimeout_sec = true\n"}, "no number of seconds"),
    ],
)
def test_errors_name_file_and_remedy(files, problem, tmp_path):
    path = make(tmp_path / "t", **files)
    with pytest.raises(EnvironmentFileError, match=problem) as caught:
        load_environment(path)
    assert caught.value.remedy


def test_a_link_out_of_the_task_is_refused(tmp_path):
    path = make(tmp_path / "t")
    (path / "tests" / "key").symlink_to("/etc/passwd")
    with pytest.raises(EnvironmentFileError, match="leads out"):
        load_environment(path)


def test_a_fifo_is_not_waited_for(tmp_path):
    path = make(tmp_path / "t")
    os.mkfifo(path / "tests" / "pipe")
    with pytest.raises(EnvironmentFileError, match="not a regular file"):
        load_environment(path)


def test_what_is_a_task_folder(tmp_path):
    assert is_harbor_task(make(tmp_path / "a"))
    assert is_harbor_task(make(tmp_path / "b", **{"task.toml": "", "tests/test.sh": None}))
    assert not is_harbor_task(make(tmp_path / "c", **{"tests/test.sh": None}))
    assert not is_harbor_task(tmp_path / "none")


def test_task_folders_live_in_a_registry(tmp_path, monkeypatch):
    monkeypatch.setenv("DEEPGYM_ENVIRONMENTS", str(tmp_path))
    make(tmp_path / "set" / "one", **{"task.toml": '[metadata]\ntags = ["mine"]\n'})
    assert [env.name for env in list_environments(tags="mine")] == ["set/one"]


@pytest.mark.parametrize(
    ("instruction", "settings", "answer"),
    [
        ("Say it.", "", "/app/answer.txt"),
        ("Write it to /app/out.json.", "", "/app/out.json"),
        ("Read /app/in.csv. Then save the sum in `/app/sum.txt`.", "", "/app/sum.txt"),
        ("See /app/in.csv and /app/b.csv.", "", "/app/answer.txt"),
        ("Write it to /app/out.json.", '[metadata]\nanswer_file = "x.py"\n', "/app/x.py"),
        ("Write it to /app/out.json.", '[metadata]\nanswer_file = "/etc/x"\n', "/app/answer.txt"),
        ("Write /app/../etc/passwd now.", "", "/app/answer.txt"),
    ],
)
def test_the_file_that_an_answer_becomes(instruction, settings, answer, tmp_path):
    path = make(tmp_path / "t", **{"instruction.md": instruction, "task.toml": settings})
    assert read_harbor_task(path, name="t").environment.metadata["answer_path"] == answer


def test_the_graders_own_settings_come_first(tmp_path):
    spec = 'mode = "exact"\nexpected = "x"\noutput = "/app/o.txt"\n'
    path = make(tmp_path / "t", **{"tests/verifier.toml": spec, "instruction.md": "Write /app/y.txt"})
    env = read_harbor_task(path, name="t").environment
    assert (env.metadata["answer_path"], env.metadata["answer_file"]) == ("/app/o.txt", "o.txt")
    assert set(env.support_files) == {"test.sh"}
