"""EvalPlus' records: HumanEval+ and MBPP+, whose expected results come from running the reference."""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Mapping
from typing import Any

from deepgym.datasets import humaneval_record
from deepgym.errors import RecordError
from deepgym.importers.cases import MAX_CASES_BYTES, read_verifier
from deepgym.importers.humaneval import pack_task
from deepgym.importers.record import Options, text_field
from deepgym.models import Environment
from deepgym.packing import Answer, PackedRecord

__all__ = ["import_record"]

# Reference and solution are each called on up to some thousand inputs.
TIMEOUT_S = 180.0
CASE_TIMEOUT_S = 10.0


def import_record(record: Mapping[str, Any], options: Options) -> PackedRecord:
    """The environment of a record: `prompt`, `entry_point`, `canonical_solution`, `base_input`, `plus_input` ...

    A copy that carries its tests as code (`test`) becomes what the same record of HumanEval would.

    Raises:
        RecordError: A field is missing or malformed, or its code cannot be parsed.
    """
    if "base_input" not in record and "entry_point" in record and "test" in record:
        return pack_task(humaneval_record(record))
    prompt, function = text_field(record, "prompt"), text_field(record, "entry_point")
    canonical = text_field(record, "canonical_solution")
    groups = {group: _inputs(record, f"{group}_input") for group in ("base", "plus")}
    if not any(groups.values()):
        raise RecordError("it has no inputs: every answer would be right")
    if len(json.dumps(groups)) > MAX_CASES_BYTES:
        raise RecordError(f"its inputs have more than the {MAX_CASES_BYTES:,} bytes of one run")
    atol = record.get("atol") or 0
    if isinstance(atol, bool) or not isinstance(atol, int | float):
        raise RecordError("atol is no number")
    whole = prompt + canonical
    settings = {
        "function": function,
        "atol": options.tolerance or atol,
        "example": _example(text_field(record, "assertion", default=""), function),
    }
    env = Environment(
        task=prompt,
        verifier_code=read_verifier("evalplus.py"),
        verifier_mode="verify_function",
        support_files={
            **{name: read_verifier(name) for name in ("comparison.py", "equality.py")},
            "reference.py": _with_contract(whole, text_field(record, "contract", default=""), function),
            "settings.json": json.dumps(settings, indent=1, sort_keys=True) + "\n",
        },
        test_cases=groups,
        timeout=TIMEOUT_S,
        case_timeout=CASE_TIMEOUT_S,
        tags=("evalplus",),
        metadata={
            "type": "function",
            "dataset": "evalplus",
            "task_id": str(record.get("task_id", "")),
            "entry_point": function,
        },
    )
    return PackedRecord(env, reference=Answer("reference_solution.py", whole))


def _inputs(record: Mapping[str, Any], name: str) -> list[Any]:
    value = record.get(name) or []
    if not isinstance(value, list) or not all(isinstance(item, list) for item in value):
        raise RecordError(f"{name} is no list of lists of arguments")
    return value


def _with_contract(source: str, contract: str, function: str) -> str:
    """The reference, with the assertions of its contract as the first thing that the function does."""
    tree, asserts = (
        _parse(source, "canonical_solution"),
        _parse(textwrap.dedent(contract.strip("\n")), "contract"),
    )
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function]
    if not found:
        raise RecordError(f"canonical_solution does not define {function}")
    if not asserts.body:
        return source
    body = found[-1].body
    is_documented = ast.get_docstring(found[-1]) is not None
    body[is_documented:is_documented] = asserts.body
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _parse(source: str, name: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise RecordError(f"{name} cannot be parsed: {error}") from None


def _example(assertions: str, function: str) -> str:
    """The arguments of the first call among assertions, as Python writes them; they tell tuples from lists."""
    try:
        tree = ast.parse(textwrap.dedent(assertions))
    except (SyntaxError, ValueError, RecursionError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
            try:
                arguments = tuple(ast.literal_eval(argument) for argument in node.args)
            except ValueError:
                continue
            return repr(arguments)
    return ""
