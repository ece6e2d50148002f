"""Calls the solution's function once a case, and compares what it returned.

The function stands in the module, or is a method of a class Solution, as on the sites that the tasks come from; there
names of the standard library's most used modules need no import.
"""

import json
import os

from comparison import show, value_difference
from deepgym_solution import SolutionError, load_solution

with open("settings.json", encoding="utf-8") as file:
    SETTINGS = json.load(file)

# One line, so that line numbers in the solution's own errors are off by one only.
PRELUDE = (
    "from string import *; from re import *; from datetime import *; from collections import *; from heapq import *; "
    "from bisect import *; from copy import *; from math import *; from random import *; from itertools import *; "
    "from functools import *; from operator import *; from builtins import *; from typing import *; "
    "import string, re, datetime, collections, heapq, bisect, copy, math, random, itertools, functools, operator, "
    "sys, typing\n"
)


def verify(solution_path, test_cases_path=None):
    with open(test_cases_path or "cases.json", encoding="utf-8") as file:
        cases = json.load(file)
    solution = load_solution(with_prelude(solution_path))
    results = []
    for number, (case, got) in enumerate(zip(cases, call_all(solution, cases), strict=True), 1):
        result = {"id": f"case_{number}", "input_summary": show(case["arguments"])}
        if isinstance(got, SolutionError):
            error = f"{type(got).__name__}: {got}"
        else:
            error = difference_to_any(got, case["expected"])
            result |= {"actual_summary": show(got), "expected_summary": show(case["expected"][0])}
        results.append(result | {"passed": error is None, "error": error})
    right = sum(result["passed"] for result in results)
    return {
        "score": right / len(results),
        "passed": right == len(results),
        "details": f"{right} of {len(results)} cases are right",
        "cases": results,
    }


def call_all(solution, cases):
    """What the solution gives for each case: a value, or the error that it raised."""
    name = SETTINGS["function"]
    arguments = [tuple(case["arguments"]) for case in cases]
    if not hasattr(solution, "Solution"):
        return solution.map(name, arguments)
    results = []
    for each in arguments:
        try:
            # A new object a case: nothing of one case is left for the next.
            results.append(getattr(solution.Solution(), name)(*each))
        except SolutionError as error:
            results.append(error)
    return results


def difference_to_any(got, expected):
    """None if the value is one of those expected, else how it differs from the first."""
    differences = [value_difference(got, value, tolerance=SETTINGS["tolerance"]) for value in expected]
    return None if None in differences else differences[0]


def with_prelude(solution_path):
    """The path of a copy of the solution that begins with the imports."""
    with open(solution_path, "rb") as file:
        source = file.read()
    if b"__future__" in source:
        return solution_path  # has to come first, and does without names in annotations
    copy = os.path.join(os.path.dirname(os.path.abspath(__file__)), "solution_with_imports.py")
    with open(copy, "wb") as file:
        file.write(PRELUDE.encode() + source)
    return copy
