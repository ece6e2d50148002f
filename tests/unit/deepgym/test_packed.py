"""Packed sets: what goes in comes out, the same bytes each time, and nothing that is not what its hash says."""

import json
import os
import warnings
import zipfile

import pytest

from deepgym import Environment
from deepgym.errors import EnvironmentFileError, EnvironmentNotFoundError, UsageError
from deepgym.packed import open_set, set_name
from deepgym.packing import Answer, PackedRecord, SetWriter, record_name
from deepgym.registry import (
    add_environment,
    find_environments,
    list_environments,
    load_environment,
    load_folder,
    remove_environment,
)

VERIFIER = "def verify(solution_path, test_cases_path=None):\n    return 1.0\n"


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("DEEPGYM_ENVIRONMENTS", str(tmp_path / "sets"))
    monkeypatch.setattr("deepgym.registry._shipped_roots", lambda: iter(()))
    return tmp_path / "sets"


def make_env(**fields):
    settings = {
        "task": "Write f, ü.",
        "verifier_code": VERIFIER,
        "verifier_mode": "verify_function",
        "support_files": {"data.bin": b"\x00\xff", "lib/x.py": "X = 1\n"},
        "test_cases": [{"input": 1}],
        "timeout": 12.5,
        "memory_mb": 300,
        "difficulty": "easy",
        "tags": ("a", "b"),
        "metadata": {"type": "function", "domain": "numbers", "task_id": "X/1"},
        **fields,
    }
    return Environment(**settings)


def write_set(path, count=2):
    with SetWriter(path, source={"format": "test"}) as writer:
        for number in range(count):
            record = PackedRecord(
                make_env(difficulty="easy" if number % 2 else "hard"),
                Answer("reference_solution.py", "def f(): pass\n"),
                (Answer("one.py", "1"),),
                (Answer("no.py", "2"), Answer("no.py", "3")),
            )
            writer.add(f"X/{number}", record)
        writer.leave_out("X/99", "too large")
    return path


def test_what_goes_in_comes_out(root):
    write_set(root / "s.envs.zip")
    folder = load_folder("s/X_1")
    assert folder.environment == make_env(name="s/X_1")
    assert folder.reference_solution.read_text() == "def f(): pass\n"
    assert folder.reference_solution.read_bytes() == b"def f(): pass\n"
    assert [(path.name, path.read_text()) for path in folder.wrong] == [("no.py", "2"), ("no.py-2", "3")]
    with folder.right[0].open() as file:
        assert file.read() == "1"
    with folder.right[0].open("rb") as file:
        assert file.read() == b"1"
    assert folder.right[0].is_file()
    assert folder.right[0].exists()
    assert open_set(root / "s.envs.zip").not_carried == (("X/99", "too large"),)


def test_the_same_records_make_the_same_bytes(root):
    first, second = write_set(root / "a.envs.zip"), write_set(root / "b.envs.zip")
    assert first.read_bytes() == second.read_bytes()
    assert os.listdir(root) == ["a.envs.zip", "b.envs.zip"] or sorted(os.listdir(root)) == [
        "a.envs.zip",
        "b.envs.zip",
    ]


def test_files_that_records_share_are_kept_once(root):
    write_set(root / "s.envs.zip", count=50)
    with zipfile.ZipFile(root / "s.envs.zip") as archive:
        blobs = [name for name in archive.namelist() if name.startswith("blobs/")]
    assert len(blobs) == 8


def test_lists_come_from_the_index(root):
    write_set(root / "s.envs.zip", count=3)
    assert [entry.name for entry in find_environments()] == ["s/X_0", "s/X_1", "s/X_2"]
    assert find_environments()[0].summary().domain == "numbers"
    assert [env.name for env in list_environments(difficulty="hard")] == ["s/X_0", "s/X_2"]
    assert list_environments(tags=["z"]) == []


def test_a_folder_and_a_set_live_in_one_registry(root):
    write_set(root / "s.envs.zip")
    folder = root / "s" / "own"
    folder.mkdir(parents=True)
    (folder / "task.md").write_text("t")
    (folder / "verifier.py").write_text(VERIFIER)
    assert load_environment("s/own").task == "t"
    assert load_environment("s/X_0").name == "s/X_0"
    assert [entry.name for entry in find_environments()] == ["s/X_0", "s/X_1", "s/own"]


def test_a_set_is_added_and_removed(root, tmp_path):
    path = write_set(tmp_path / "elsewhere.envs.zip")
    assert add_environment(path) == "elsewhere"
    assert load_environment("elsewhere/X_0").name == "elsewhere/X_0"
    with pytest.raises(UsageError, match="already"):
        add_environment(path)
    remove_environment("elsewhere")
    with pytest.raises(EnvironmentNotFoundError):
        load_environment("elsewhere/X_0")


def change(path, member, content):
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[member] = content
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            if data is not None:
                archive.writestr(name, data)


def test_a_changed_file_is_refused(root, tmp_path):
    path = write_set(tmp_path / "s.envs.zip")
    with zipfile.ZipFile(path) as archive:
        blob = json.loads(archive.read("records/X_0.json"))["verifier"]["verifier.py"]
    change(path, f"blobs/{blob}", b"def verify(path): return 0.0\n")
    with pytest.raises(EnvironmentFileError, match="is not what its hash says"):
        add_environment(path)


def test_a_changed_record_is_refused(root):
    path = write_set(root / "s.envs.zip")
    change(path, "records/X_0.json", b"{}")
    with pytest.raises(EnvironmentFileError, match="is not what its hash says"):
        load_environment("s/X_0")
    assert load_environment("s/X_1").name == "s/X_1"


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        (None, "lacks set.json"),
        (b"[", "is no packed set"),
        (b"[]", "is no packed set"),
        (b'{"format": "deepgym-set/9"}', "deepgym-set/9"),
        (b'{"format": "deepgym-set/1", "content_hash": "x", "records": []}', "hash"),
    ],
)
def test_a_malformed_index_is_named(root, head, problem):
    path = write_set(root / "s.envs.zip")
    change(path, "set.json", head)
    with pytest.raises(EnvironmentFileError, match=problem):
        open_set(path)
    with pytest.raises(EnvironmentFileError):
        load_environment("s/X_0")
    with pytest.warns(RuntimeWarning, match="left out"):
        assert list_environments() == []


def test_a_file_that_is_no_zip_is_named(root):
    root.mkdir()
    (root / "s.envs.zip").write_text("hello")
    with pytest.raises(EnvironmentFileError, match="no packed set"):
        open_set(root / "s.envs.zip")
    with pytest.raises(EnvironmentFileError, match="cannot be read"):
        open_set(root / "none.envs.zip")


def test_a_name_that_is_not_there_is_not_found(root):
    path = write_set(root / "s.envs.zip")
    with pytest.raises(EnvironmentNotFoundError, match="X_1"):
        load_environment("s/X_7")
    with pytest.raises(EnvironmentFileError, match="no record"):
        load_environment(path / "X_7")
    with pytest.raises(EnvironmentNotFoundError, match="is a packed set"):
        load_environment(path)


def test_a_failed_writing_leaves_nothing(root):
    with pytest.raises(RuntimeError), SetWriter(root / "s.envs.zip"):
        raise RuntimeError
    assert os.listdir(root) == []


def test_a_set_can_be_read_after_a_fork(root):
    write_set(root / "s.envs.zip", count=20)
    load_environment("s/X_0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pids = []
        for _ in range(3):
            pid = os.fork()
            if pid == 0:
                ok = all(load_environment(f"s/X_{number}").task for number in range(20))
                os._exit(0 if ok else 1)
            pids.append(pid)
    assert all(load_environment(f"s/X_{number}").task for number in range(20))
    assert [os.waitpid(pid, 0)[1] for pid in pids] == [0, 0, 0]


def test_names_are_plain_and_each_is_its_own():
    assert record_name("HumanEval/0") == "HumanEval_0"
    assert record_name("../../x") == "x"
    assert record_name("é", {"record"}) == "record-2"
    assert record_name("a", {"a", "a-2"}) == "a-3"
    assert len(record_name("x" * 999)) == 100
    assert set_name("/x/y.envs.zip") == "y"
