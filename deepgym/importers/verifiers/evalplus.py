"""Compares the solution with the record's own reference, on the base inputs and on the many that EvalPlus adds.

The reference is trusted and runs here, before the solution is started; an input that breaks the record's contract is
set aside. How two results are compared follows EvalPlus: equality, room for floats, and an oracle for a few functions.
"""

import ast
import copy
import json
import math
import os

import reference
from comparison import show
from deepgym_solution import SolutionError, load_solution
from equality import has_floats, same

with open("settings.json", encoding="utf-8") as file:
    SETTINGS = json.load(file)

NAME = SETTINGS["function"]
# Where a result may come in any order, where only its presence counts, and where the result solves an equation.
AS_SETS = {
    "similar_elements",
    "find_char_long",
    "common_in_nested_lists",
    "extract_singly",
    "larg_nnum",
    "intersection_array",
    "find_dissimilar",
    "Diff",
}
NOT_NONE = {"check_str", "text_match_three", "text_starta_endb", "start_withp"}
ROOTS = {"find_zero"}

DEFAULT_ATOL = 1e-6
ROOT_ATOL = 1e-4

ADAPTER = f"""
def deepgym_is_there(*args):
    result = {NAME}(*args)
    return result if isinstance(result, bool) else result is not None
"""


def verify(solution_path, test_cases_path=None):
    with open(test_cases_path or "cases.json", encoding="utf-8") as file:
        groups = json.load(file)
    todo = [(group, number, *case) for group in groups for number, case in enumerate(prepare(groups[group]))]
    if not todo:
        raise ValueError("the contract refuses every input: every answer would be right")
    solution = load_solution(with_adapter(solution_path))
    called = "deepgym_is_there" if NAME in NOT_NONE else NAME
    results = solution.map(called, [tuple(arguments) for _, _, arguments, _ in todo])
    cases = [
        judge(f"{group}_{number}", arguments, expected, got)
        for (group, number, arguments, expected), got in zip(todo, results, strict=True)
    ]
    right = sum(case["passed"] for case in cases)
    return {
        "score": right / len(cases),
        "passed": right == len(cases),
        "details": f"{right} of {len(cases)} inputs give the right result",
        "reward_components": {
            group: share(cases, group) for group in groups if share(cases, group) is not None
        },
        "cases": cases,
    }


def prepare(inputs):
    """Arguments and what the reference makes of them, without those that the contract refuses."""
    example = ast.literal_eval(SETTINGS["example"]) if SETTINGS["example"] else None
    for values in inputs:
        arguments = values if example is None or len(example) != len(values) else like(values, list(example))
        try:
            expected = getattr(reference, NAME)(*copy.deepcopy(arguments))
        except AssertionError:
            continue
        yield arguments, expected


def like(value, example):
    """A value of JSON in the types of an example: tuples, sets and complex numbers where it has them."""
    if isinstance(value, list) and isinstance(example, (list, tuple, set)):
        models = list(example)
        if isinstance(example, set) or len(models) != len(value):
            models = models[:1] * len(value)
        if len(models) == len(value):
            value = [like(item, model) for item, model in zip(value, models, strict=True)]
        return type(example)(value)
    if isinstance(example, complex) and isinstance(value, (list, str)):
        return complex(value) if isinstance(value, str) else complex(*value)
    return value


def with_adapter(solution_path):
    """The path of a copy of the solution that can also say whether a result is there at all."""
    if NAME not in NOT_NONE:
        return solution_path
    with open(solution_path, "rb") as file:
        source = file.read()
    copied = os.path.join(os.path.dirname(os.path.abspath(__file__)), "solution_with_adapter.py")
    with open(copied, "wb") as file:
        file.write(source + b"\n" + ADAPTER.encode())
    return copied


def judge(case_id, arguments, expected, got):
    """The case of one call."""
    case = {"id": case_id, "passed": False}
    if isinstance(got, SolutionError):
        case["error"] = f"{type(got).__name__}: {got}"
    elif is_right(arguments, expected, got):
        return {"id": case_id, "passed": True}
    else:
        case |= {"error": "another result", "actual_summary": show(got), "expected_summary": show(expected)}
    return case | {"input_summary": show(arguments)}


def is_right(arguments, expected, got):
    if NAME in NOT_NONE:
        wanted = expected if isinstance(expected, bool) else expected is not None
        return type(got) is bool and got == wanted
    if NAME in ROOTS:
        return is_root(arguments[0], got)
    if NAME in AS_SETS:
        try:
            return type(got) in (list, tuple, set) and same(set(got), set(expected), 0)
        except TypeError:
            return False
    atol = SETTINGS["atol"]
    if atol == 0 and has_floats(expected):
        atol = DEFAULT_ATOL
    return same(got, expected, atol)


def is_root(coefficients, got):
    if isinstance(got, bool) or not isinstance(got, (int, float)):
        return False
    try:
        value = math.fsum(factor * got**power for power, factor in enumerate(coefficients))
    except (OverflowError, ValueError):
        return False
    return abs(value) <= ROOT_ATOL


def share(cases, group):
    mine = [case["passed"] for case in cases if case["id"].startswith(f"{group}_")]
    return sum(mine) / len(mine) if mine else None
