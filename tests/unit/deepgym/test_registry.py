"""The registry: folders become environments, errors name file, field and remedy, names find folders."""

import json
import os
import warnings

import pytest

from deepgym import metadata, registry
from deepgym.errors import EnvironmentFileError, EnvironmentNotFoundError, UsageError
from deepgym.registry import (
    add_environment,
    list_environments,
    load_environment,
    load_folder,
    remove_environment,
)

VERIFIER = "def verify(solution_path, test_cases_path=None):\n    return 1.0\n"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A registry root that is searched first, and an empty user registry."""
    root = tmp_path / "registry"
    root.mkdir()
    monkeypatch.setenv("DEEPGYM_ENVIRONMENTS", str(root))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return root


def make_folder(parent, name="double", settings=None, **files):
    folder = parent / name
    folder.mkdir(parents=True)
    texts = {"task.md": "Write double(x).\n", "verifier.py": VERIFIER, **files}
    if settings is not None:
        texts["metadata.json"] = json.dumps(settings)
    for file, text in texts.items():
        if text is not None:
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


SETTINGS = {
    "$schema": "x",
    "name": "double",
    "type": "function",
    "difficulty": "easy",
    "domain": "numbers",
    "tags": ["a", "b"],
    "verifier_mode": "verify_function",
    "timeout": 12,
    "case_timeout": 2.5,
    "pass_threshold": 0.5,
    "support_files": ["data.bin", "lib/x.py", "../_shared/scoring.py"],
    "limits": {"memory_mb": 300, "processes": 9, "cpu_time_s": 4},
    "env_vars": {"A": "1"},
    "seed": 3,
    "image": "python:3.12",
    "min_isolation": "sealed",
    "deterministic": False,
    "license": "Apache-2.0",
    "source": "here",
}


def test_a_folder_becomes_an_environment(root):
    (root / "_shared").mkdir()
    (root / "_shared" / "scoring.py").write_text("X = 1\r\n", newline="")
    folder = make_folder(
        root,
        settings=SETTINGS,
        **{
            "data.bin": b"\xff\x00",
            "lib/x.py": "y = 1",
            "variants.py": "v = 1",
            "cases.json": '[{"x": 1}]',
            "reference_solution.py": "def double(x): return 2 * x",
            "reference_solution.md": "why",
            "solutions/right/a.py": "",
            "solutions/wrong/b.py": "",
            "solutions/wrong/.hidden": "",
        },
    )
    found = load_folder("double")
    env = found.environment
    assert env.task == "Write double(x).\n"
    assert env.verifier_path == str(folder / "verifier.py")
    assert env.support_files == {
        "data.bin": b"\xff\x00",
        "lib/x.py": "y = 1",
        "scoring.py": "X = 1\r\n",
        "variants.py": "v = 1",
    }
    assert env.test_cases == [{"x": 1}]
    assert (env.timeout, env.case_timeout, env.pass_threshold, env.seed) == (12.0, 2.5, 0.5, 3)
    assert (env.memory_mb, env.processes, env.cpu_time_s, env.open_files) == (300, 9, 4.0, 512)
    assert (env.name, env.difficulty, env.tags, env.deterministic) == ("double", "easy", ("a", "b"), False)
    assert (env.image, env.min_isolation, env.env_vars) == ("python:3.12", "sealed", {"A": "1"})
    assert env.metadata == {
        "type": "function",
        "domain": "numbers",
        "license": "Apache-2.0",
        "source": "here",
    }
    assert found.reference_solution == folder / "reference_solution.py"
    assert (found.right, found.wrong) == (
        (folder / "solutions/right/a.py",),
        (folder / "solutions/wrong/b.py",),
    )


def test_a_task_and_a_verifier_are_enough(root):
    make_folder(root)
    found = load_folder("double")
    assert (found.environment.name, found.reference_solution, found.right) == ("double", None, ())


def test_a_spec_is_a_verifier(root):
    folder = make_folder(root, **{"verifier.py": None, "verifier.toml": "mode = 'exact'"})
    assert load_environment("double").verifier_path == str(folder / "verifier.toml")


def test_every_way_to_name_a_folder_finds_it(root):
    make_folder(root)
    make_folder(root / "set", "triple")
    outside = make_folder(root.parent / "elsewhere", "quad")
    assert load_environment("double").name == "double"
    assert load_environment("set/triple").name == "set/triple"
    assert load_environment("./registry/double").name == "double"
    assert load_environment("registry/double").name == "double"
    assert load_environment("registry/set/triple/").name == "set/triple"
    assert load_environment(root / "set" / "triple").name == "set/triple"
    assert load_environment(outside).name == "quad"
    assert load_environment("elsewhere/quad").name == "quad"
    names = [env.name for env in list_environments()]
    assert names == sorted(names)
    assert {"double", "merge_intervals", "set/triple"} <= set(names)


def test_a_name_comes_before_a_folder_of_that_name(root):
    make_folder(root, **{"task.md": "registry"})
    make_folder(root.parent, "double", **{"task.md": "working folder"})
    assert load_environment("double").task == "registry"
    assert load_environment("./double").task == "working folder"


@pytest.mark.parametrize(
    "name", ["dubble", "set/none", "", "a/b/c", "../x", "./x", "/x", "a\0b", "~nobody/x", "x" * 300]
)
def test_an_unknown_name_or_path_is_said(root, name):
    make_folder(root)
    with pytest.raises(EnvironmentNotFoundError, match=r"no folder|no environment"):
        load_environment(name)


def test_a_near_name_is_proposed(root):
    make_folder(root)
    with pytest.raises(EnvironmentNotFoundError, match="did you mean 'double'"):
        load_environment("dubble")


def test_a_file_or_an_empty_folder_is_no_environment(root):
    folder = make_folder(root)
    with pytest.raises(EnvironmentNotFoundError, match="is a file: name the environment's folder"):
        load_environment(folder / "verifier.py")
    with pytest.raises(EnvironmentNotFoundError, match="is no environment"):
        load_environment(root)


@pytest.mark.parametrize(
    ("files", "file", "words"),
    [
        ({"task.md": None}, "task.md", "is missing: write the prompt"),
        ({"task.md": " \n"}, "task.md", "is empty"),
        ({"task.md": b"\xff"}, "task.md", "is not UTF-8 text"),
        ({"verifier.py": None}, "verifier.py", "is missing: write verify"),
        ({"verifier.toml": ""}, "verifier.py", "stands beside verifier.toml"),
        ({"metadata.json": "{"}, "metadata.json", "is not JSON"),
        ({"metadata.json": "[" * 100_000}, "metadata.json", "is not JSON"),
        ({"metadata.json": b"\xff"}, "metadata.json", "is not JSON"),
        ({"metadata.json": "[]"}, "metadata.json", "write one JSON object"),
        ({"cases.json": "[1"}, "cases.json", "is not JSON"),
        ({"cases.json": "[]"}, "cases.json", "holds no cases"),
        ({"cases.json": "3"}, "cases.json", "holds no cases"),
        ({"cases.json": ""}, "cases.json", "is empty"),
    ],
)
def test_a_bad_file_is_named_with_a_remedy(root, files, file, words):
    folder = make_folder(root, **files)
    with pytest.raises(EnvironmentFileError, match=words) as caught:
        load_environment(folder)
    assert caught.value.file == str(folder / file)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("settings", "field", "words"),
    [
        ({"timeuot": 3}, "timeuot", "valid fields are .schema, name, type, .*timeout"),
        ({"limits": {"memory": 3}}, "limits.memory", "valid fields are memory_mb"),
        ({"limits": {"memory_mb": 0}}, "limits.memory_mb", "not 0: it is memory of the solution"),
        ({"limits": 3}, "limits", "not 3"),
        ({"timeout": "30"}, "timeout", "not '30': it is seconds for a whole run"),
        ({"timeout": 0}, "timeout", "greater than 0"),
        ({"verifier_mode": "magic"}, "verifier_mode", "'script'"),
        ({"min_isolation": "strong"}, "min_isolation", "'sealed'"),
        ({"tags": "a"}, "tags", "list"),
        ({"tags": [1]}, "tags.0", "string"),
        ({"deterministic": 1}, "deterministic", "boolean"),
        ({"name": "other"}, "name", "write 'double'"),
        ({"name": "a b"}, "name", "match pattern"),
        ({"env_vars": {"A=B": "1"}}, "env_vars", "cannot be an environment variable"),
        ({"support_files": ["absent.py"]}, "support_files", "cannot be read"),
        ({"support_files": ["/etc/hostname"]}, "support_files", "not a relative path"),
        ({"support_files": [""]}, "support_files", "not a relative path"),
        ({"support_files": ["a\\b"]}, "support_files", "not a relative path"),
        ({"support_files": ["../../x.py"]}, "support_files", "leaves the registry"),
        ({"support_files": ["link.py"]}, "support_files", "leaves the registry"),
        ({"support_files": ["lib"]}, "support_files", "not a regular file"),
        ({"support_files": ["fifo"]}, "support_files", "not a regular file"),
        ({"support_files": ["a.py", "./a.py"]}, "support_files", "is taken"),
        ({"support_files": ["a.py", "lib/../a.py"]}, "support_files", "is taken"),
        ({"support_files": ["verifier.py"]}, "support_files", "is taken"),
    ],
)
def test_a_bad_setting_is_named_with_a_remedy(root, settings, field, words):
    folder = make_folder(root, settings=settings, **{"a.py": "", "lib/b.py": ""})
    (root.parent / "x.py").write_text("secret")
    (folder / "link.py").symlink_to(root.parent / "x.py")
    os.mkfifo(folder / "fifo")
    with pytest.raises(EnvironmentFileError, match=words) as caught:
        load_environment("double")
    assert caught.value.file == str(folder / "metadata.json")
    assert caught.value.field == field


def test_a_huge_support_file_is_refused(root):
    folder = make_folder(root, settings={"support_files": ["big"]})
    with open(folder / "big", "wb") as file:
        file.truncate(300 * 1024 * 1024)
    with pytest.raises(EnvironmentFileError, match="bytes: stay below"):
        load_environment("double")


def test_the_list_is_filtered(root):
    make_folder(root, "one", {"tags": ["a", "b"], "difficulty": "easy"})
    make_folder(root, "two", {"tags": ["a"], "difficulty": "hard"})

    def names(**filters):
        return [env.name for env in list_environments(**filters) if env.name in {"one", "two"}]

    assert names() == ["one", "two"]
    assert names(tags=["a", "b"]) == ["one"]
    assert names(tags="a") == ["one", "two"]
    assert names(difficulty="hard") == ["two"]
    assert names(tags=["a"], difficulty="easy") == ["one"]


def test_a_broken_folder_does_not_hide_the_others(root):
    make_folder(root, "bad", **{"task.md": None})
    make_folder(root, "good")
    with pytest.warns(RuntimeWarning, match="'bad' is left out: .*task.md"):
        names = [env.name for env in list_environments()]
    assert "good" in names
    assert "bad" not in names


def test_shared_and_hidden_folders_are_no_environments(root):
    make_folder(root, "_shared")
    make_folder(root, ".git")
    make_folder(root / "set" / "deep", "er")
    names = {entry.name for entry in registry.find_environments()}
    assert not names & {"_shared", ".git", "set/deep/er", "set/deep"}


def test_the_roots_are_searched_in_order(root, tmp_path, monkeypatch):
    make_folder(root, **{"task.md": "first"})
    make_folder(tmp_path / "second", **{"task.md": "second"})
    make_folder(registry.user_registry(), "double", **{"task.md": "user"})
    make_folder(registry.user_registry(), "merge_intervals", **{"task.md": "mine"})
    assert load_environment("double").task == "first"
    assert load_environment("merge_intervals").task == "mine"
    monkeypatch.setenv(
        "DEEPGYM_ENVIRONMENTS", os.pathsep.join([str(tmp_path / "second"), "", "absent", str(root)])
    )
    assert load_environment("double").task == "second"
    monkeypatch.delenv("DEEPGYM_ENVIRONMENTS")
    assert load_environment("double").task == "user"


def test_the_users_registry_follows_the_platform(monkeypatch):
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.setattr(registry.sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert str(registry.user_registry()) == "/data/deepgym/environments"
    for ignored in ("", "relative"):
        monkeypatch.setenv("XDG_DATA_HOME", ignored)
        assert str(registry.user_registry()) == "/home/u/.local/share/deepgym/environments"
    monkeypatch.setattr(registry.sys, "platform", "darwin")
    assert str(registry.user_registry()) == "/home/u/Library/Application Support/deepgym/environments"


def test_an_environment_is_added_found_and_removed(root, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    folder = make_folder(elsewhere, "quad", {"support_files": ["../_shared/x.py"]}, **{"a/b.txt": "1"})
    (elsewhere / "_shared").mkdir()
    (elsewhere / "_shared" / "x.py").write_text("x = 1")
    assert add_environment(folder) == "quad"
    env = load_environment("quad")
    assert env.support_files == {"x.py": "x = 1"}
    assert env.verifier_path == str(registry.user_registry() / "quad" / "verifier.py")
    assert sorted(os.listdir(registry.user_registry())) == ["_shared", "quad"]
    with pytest.raises(UsageError, match="already: remove it first"):
        add_environment(folder)
    assert remove_environment("quad") == registry.user_registry() / "quad"
    with pytest.raises(EnvironmentNotFoundError):
        load_environment("quad")
    (elsewhere / "_shared" / "x.py").write_text("x = 2")
    with pytest.raises(UsageError, match="another content"):
        add_environment(folder)


@pytest.mark.parametrize("name", ["quad", "../data", "", ".", "/etc"])
def test_only_what_was_added_is_removed(root, name):
    make_folder(root, "quad")
    with pytest.raises(EnvironmentNotFoundError, match="only what was added goes"):
        remove_environment(name)


def test_what_cannot_be_added_is_said(root, tmp_path):
    with pytest.raises(EnvironmentNotFoundError):
        add_environment(tmp_path / "absent")
    with pytest.raises(EnvironmentFileError):
        add_environment(make_folder(tmp_path, "bad", **{"task.md": None}))
    with pytest.raises(UsageError, match="cannot be a name"):
        add_environment(make_folder(tmp_path, "a b"))
    assert not registry.user_registry().exists()


def test_the_shipped_environments_are_found_and_sound(monkeypatch):
    monkeypatch.delenv("DEEPGYM_ENVIRONMENTS", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", "/nowhere")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = [env.name for env in list_environments()]
    assert "merge_intervals" in names
    folder = load_folder("merge_intervals")
    assert folder.reference_solution
    assert folder.right
    assert folder.wrong


def test_the_published_schema_is_that_of_the_model(pytestconfig):
    published = pytestconfig.rootpath / "docs" / "reference" / "metadata.schema.json"
    assert json.loads(published.read_text()) == json.loads(json.dumps(metadata.metadata_schema()))
