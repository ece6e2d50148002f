"""Records of repository tasks that carry their files: SWE-bench's fields, and the files in place of an image.

    instance_id, problem_statement          the task
    files                                   the project: content by path
    test_files, or test_patch               the tests as they are after the change
    FAIL_TO_PASS, PASS_TO_PASS              tests by id, as lists or JSON text
    patch                                   the right diff; optional
    test_command                            how the tests are run: pytest or unittest; optional
    source_root                             the folder that modules are imported from; found unless given

A record without `files` needs the image of its repository, and is not carried over.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Collection, Mapping
from typing import Any

from deepgym.errors import RecordError
from deepgym.importers.cases import MAX_CASES_BYTES, read_verifier
from deepgym.importers.record import Options, difficulty_of, json_field, text_field
from deepgym.models import Environment
from deepgym.packing import Answer, PackedRecord
from deepgym_solution import PatchError, apply_patch

__all__ = ["import_record"]

TIMEOUT_S = 300.0
CASE_TIMEOUT_S = 20.0

_UNITTEST_ID = re.compile(r"(\w+) \(([\w.]+)\)")
_RUNNERS = ("pytest", "unittest")
_MODULES = ("entry.py", "project.py", "running.py")


def import_record(record: Mapping[str, Any], options: Options) -> PackedRecord:
    """The environment of a record.

    Raises:
        RecordError: It carries no files, its tests cannot be run by calls into the project, or a field is malformed.
    """
    del options
    statement = text_field(record, "problem_statement")
    files = _files(record, "files", "it needs the container image of its repository, for it carries no files")
    _check_command(record.get("test_command"))
    tests = {
        **{path: text for path, text in files.items() if _is_of_tests(path)},
        **_test_files(record, files),
    }
    root = _source_root(record, files, tests)
    to_mend, to_keep = (_tests(record, name, tests) for name in ("FAIL_TO_PASS", "PASS_TO_PASS"))
    if not to_mend:
        raise RecordError("FAIL_TO_PASS is empty: every answer would be right")
    project = {path: text for path, text in files.items() if path not in tests}
    patch = text_field(record, "patch", default="")
    after = _apply(patch, files, "patch") if patch.strip() else files
    tops = _tops({path for path in (*project, *after) if path not in tests and not _is_of_tests(path)}, root)
    cases = {"files": project, "test_files": tests, "fail_to_pass": to_mend, "pass_to_pass": to_keep}
    if len(json.dumps(cases)) > MAX_CASES_BYTES:
        raise RecordError(f"its files have more than the {MAX_CASES_BYTES:,} bytes of one run")
    env = Environment(
        task=_task(statement, project),
        verifier_code=read_verifier("repo_patch.py"),
        verifier_mode="verify_function",
        support_files={
            **{name: read_verifier(name) for name in _MODULES},
            "settings.json": json.dumps({"source_root": root, "tops": tops}) + "\n",
        },
        test_cases=cases,
        timeout=TIMEOUT_S,
        case_timeout=CASE_TIMEOUT_S,
        difficulty=difficulty_of(record.get("difficulty")),
        tags=("swebench-like",),
        metadata={
            "type": "repo-patch",
            "dataset": "swebench-like",
            "task_id": text_field(record, "instance_id", default=""),
            "source": text_field(record, "repo", default=""),
        },
    )
    if not patch.strip():
        return PackedRecord(env, notes=("it has no patch that could be its reference",))
    return PackedRecord(env, reference=Answer("reference_solution.diff", patch))


def _task(statement: str, files: Mapping[str, str]) -> str:
    """The prompt: the problem, the project's files, and what an answer is."""
    parts = [statement.strip(), "The project:"]
    parts += [f"`{path}`\n\n```\n{text.rstrip()}\n```" for path, text in files.items()]
    parts.append("Answer with a unified diff against these files.")
    return "\n\n".join(parts) + "\n"


def _files(record: Mapping[str, Any], name: str, missing: str) -> dict[str, str]:
    value = json_field(record, name, {})
    if isinstance(value, dict) and not value:
        raise RecordError(missing)
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise RecordError(f"{name} is no object of text by path")
    for path in value:
        parts = path.split("/")
        if not path or "\0" in path or "\\" in path or any(part in {"", ".", ".."} for part in parts):
            raise RecordError(f"{name} has the path {path!r}, which is not relative and plain")
    return value


def _check_command(command: object) -> None:
    if command is None or command == "":
        return
    if not isinstance(command, str) or not any(re.search(rf"\b{runner}\b", command) for runner in _RUNNERS):
        raise RecordError(
            f"its tests are run by {command!r}: only those of pytest and unittest can be called one by one"
        )


def _test_files(record: Mapping[str, Any], files: Mapping[str, str]) -> dict[str, str]:
    if record.get("test_files"):
        return _files(record, "test_files", "")
    patch = text_field(record, "test_patch", default="")
    if not patch.strip():
        raise RecordError("it has neither test_files nor a test_patch")
    after = _apply(patch, files, "test_patch")
    return {path: text for path, text in after.items() if files.get(path) != text}


def _apply(patch: str, files: Mapping[str, str], name: str) -> dict[str, str]:
    try:
        return apply_patch(patch, files)
    except PatchError as error:
        raise RecordError(f"{name} does not fit its files: {error}") from None


def _source_root(record: Mapping[str, Any], files: Mapping[str, str], tests: Mapping[str, str]) -> str:
    given = text_field(record, "source_root", default="").strip("/")
    if given:
        return given
    modules = [path for path in files if path.endswith(".py") and path not in tests and "/" in path]
    return "src" if modules and any(path.startswith("src/") for path in modules) else ""


def _is_of_tests(path: str) -> bool:
    """Whether a file helps the tests: a patch to it must not change how they run."""
    *folders, name = path.split("/")
    return name == "conftest.py" or not {"test", "tests"}.isdisjoint(folders)


def _tops(paths: Collection[str], root: str) -> list[str]:
    """The top-level names of a project's modules, before the change and after it."""
    found = set()
    for path in paths:
        inside = path.removeprefix(f"{root}/") if root else path
        top = inside.split("/")[0].removesuffix(".py")
        if inside.endswith(".py"):
            found.add(top)
        if inside.endswith(".py") and top in sys.stdlib_module_names:
            raise RecordError(f"its file {path} would hide the standard library's {top!r}")
    return sorted(found)


def _tests(record: Mapping[str, Any], name: str, files: Mapping[str, str]) -> list[dict[str, Any]]:
    ids = json_field(record, name, [])
    if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
        raise RecordError(f"{name} is no list of tests")
    return [_test(each, name, files) for each in ids]


def _test(test_id: str, name: str, files: Mapping[str, str]) -> dict[str, Any]:
    """Where a test is: `path::Class::name`, `package.module.Class.name`, or `name (package.module.Class)`."""
    match = _UNITTEST_ID.fullmatch(test_id)
    dotted = (
        f"{match[2]}.{match[1]}"
        if match and not match[2].endswith(f".{match[1]}")
        else match[2]
        if match
        else ""
    )
    if "::" in test_id:
        path, *inner = test_id.split("::")
    else:
        path, inner = _split_dotted(dotted or test_id, files)
    if path not in files or not 1 <= len(inner) <= 2:
        raise RecordError(f"{name} names {test_id!r}, which is in none of its test files")
    *kind, function = inner
    _check_test(test_id, files[path], kind[0] if kind else None, function)
    module = path.removesuffix(".py").replace("/", ".")
    return {"id": test_id, "module": module, "class": kind[0] if kind else None, "function": function}


def _split_dotted(dotted: str, files: Mapping[str, str]) -> tuple[str, list[str]]:
    parts = dotted.split(".")
    for count in range(len(parts) - 1, 0, -1):
        path = "/".join(parts[:count]) + ".py"
        if path in files:
            return path, parts[count:]
    return "", []


def _check_test(test_id: str, source: str, kind: str | None, function: str) -> None:
    try:
        body: list[ast.stmt] = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise RecordError(f"the file of {test_id} cannot be parsed: {error}") from None
    if kind is not None:
        classes = [node for node in body if isinstance(node, ast.ClassDef) and node.name == kind]
        body = classes[-1].body if classes else []
    found = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == function]
    if not found:
        raise RecordError(f"{test_id} is not defined in its file as a plain function or method")
    arguments = found[-1].args
    wanted = len(arguments.args) + len(arguments.posonlyargs) + len(arguments.kwonlyargs) - (kind is not None)
    if wanted > 0:
        raise RecordError(f"{test_id} needs fixtures or parameters, which only a test runner can give")
