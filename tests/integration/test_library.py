"""Every built-in environment is sound: right answers score 1, wrong ones do not pass, equal runs end equally."""

import ast
import json
from collections import Counter
from pathlib import Path

import pytest

import deepgym
from deepgym import DeepGym
from deepgym.folders import read_folder
from deepgym.registry import is_environment_folder

ROOT = Path(deepgym.__file__).resolve().parent.parent / "environments"
NAMES = sorted(path.name for path in ROOT.iterdir() if is_environment_folder(path))
TYPES = {name: json.loads((ROOT / name / "metadata.json").read_bytes())["type"] for name in NAMES}
SEED = 2_026
# Answers without any thought: what they earn, and more, is luck that a trainer would reinforce.
MAX_FLOOR = 0.1
THOUGHTLESS = [
    "return None",
    "return 0",
    "return True",
    "return ''",
    "return []",
    "return args[-1]",
    "return args[-len(args)]",
    "raise ValueError",
]


@pytest.fixture(scope="module")
def client():
    with DeepGym(mode="local") as client:
        yield client


@pytest.fixture(scope="module", params=NAMES)
def folder(request):
    return read_folder(ROOT / request.param, root=ROOT)


def run(client, folder, answer):
    return client.run(folder.environment.model_copy(update={"seed": SEED}), answer)


def text_of(path):
    return path.read_bytes().decode("utf-8")


def without_times(result):
    return result.model_dump(exclude={"execution_time_ms", "attempts"})


def test_the_folder_is_complete(folder):
    environment = folder.environment
    assert folder.reference_solution is not None
    assert len(folder.right) >= 1
    assert len(folder.wrong) >= 2
    assert environment.difficulty in {"easy", "medium", "hard"}
    assert environment.tags
    assert environment.metadata.keys() >= {"type", "domain", "license", "source"}


def test_the_library_has_tasks_of_every_kind():
    kinds = Counter(TYPES.values())
    assert kinds["function"] + kinds["class"] >= 30
    assert kinds["script"] + kinds["stdio"] >= 6
    assert kinds["file-output"] >= 5
    assert kinds["repo-patch"] >= 4
    assert kinds["spec"] >= 6
    assert kinds.total() >= 50


def test_a_project_to_be_patched_is_shown_in_the_task_as_it_is(folder):
    project = [path for path in sorted((folder.path / "repo").rglob("*")) if path.is_file()]
    assert bool(project) == (folder.environment.metadata["type"] == "repo-patch")
    for path in project:
        name = path.relative_to(folder.path).as_posix()
        assert folder.environment.support_files[name] == text_of(path)
        shown = f"`{name.removeprefix('repo/')}`:\n\n```python\n{text_of(path)}```\n"
        assert shown in folder.environment.task


def test_the_reference_scores_everything_and_twice_the_same(client, folder):
    first = run(client, folder, text_of(folder.reference_solution))
    second = run(client, folder, text_of(folder.reference_solution))
    assert (first.score, first.passed, first.error_type) == (1.0, True, None), first.details
    assert without_times(first) == without_times(second)


def test_the_reference_passes_under_a_fresh_seed(client, folder):
    result = client.run(folder.environment, text_of(folder.reference_solution))
    assert result.passed, (result.seed, result.details)


def test_right_answers_in_other_forms_score_everything(client, folder):
    for path in folder.right:
        result = run(client, folder, text_of(path))
        assert (result.score, result.passed) == (1.0, True), (path.name, result.details)


def test_wrong_answers_do_not_pass_and_learn_why(client, folder):
    for path in folder.wrong:
        result = run(client, folder, text_of(path))
        assert result.has_verdict, (path.name, result.details)
        assert not result.passed, path.name
        assert result.details, path.name
        if path.stem == "changes_nothing":
            assert result.score <= MAX_FLOOR, result.details
        assert all(case.error for case in result.cases if not case.passed), path.name


def test_an_empty_answer_earns_nothing(client, folder):
    result = run(client, folder, "")
    assert (result.score, result.passed, result.has_verdict) == (0.0, False, True), result.details


@pytest.mark.parametrize(
    ("name", "body"),
    [
        (name, body)
        for name in NAMES
        for body in (THOUGHTLESS if TYPES[name] in {"function", "class"} else ["None"])
    ],
)
def test_an_answer_without_thought_earns_almost_nothing(client, name, body):
    folder = read_folder(ROOT / name, root=ROOT)
    answer = body if body == "None" else thoughtless(text_of(folder.reference_solution), body)
    result = run(client, folder, answer)
    assert result.has_verdict
    assert result.score <= MAX_FLOOR, answer


def thoughtless(reference, body):
    """The functions and methods of a reference, each with the same body."""
    tree = ast.parse(reference)
    lines = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            lines.append(f"def {node.name}(*args): {body}")
        elif isinstance(node, ast.ClassDef):
            methods = [item.name for item in node.body if isinstance(item, ast.FunctionDef)]
            lines.append(f"class {node.name}:\n    def __init__(self, *args): pass")
            lines += [f"    def {name}(*args): {body}" for name in methods if name != "__init__"]
    return "\n".join(lines)
