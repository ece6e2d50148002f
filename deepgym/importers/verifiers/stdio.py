"""Runs the solution once a case, on the case's input, and compares what it printed."""

import json

from comparison import output_difference, show
from deepgym_solution import SolutionError, SolutionTimeoutError, run_solution

with open("settings.json", encoding="utf-8") as file:
    SETTINGS = json.load(file)

# A program that hangs so often will not pass, and would only cost time.
MAX_TIMEOUTS = 3


def verify(solution_path, test_cases_path=None):
    with open(test_cases_path or "cases.json", encoding="utf-8") as file:
        cases = json.load(file)
    results, timeouts = [], 0
    for number, case in enumerate(cases, 1):
        error, printed = "not run, for it hung too often", ""
        if timeouts < MAX_TIMEOUTS:
            try:
                error, printed = judge(solution_path, case)
            except SolutionTimeoutError as problem:
                timeouts += 1
                error = str(problem)
            except SolutionError as problem:
                error = str(problem)
        result = {"id": f"case_{number}", "passed": error is None, "input_summary": show(case["input"])}
        if error is not None:
            result |= {
                "error": error,
                "expected_summary": show(case["output"]),
                "actual_summary": show(printed),
            }
        results.append(result)
    right = sum(result["passed"] for result in results)
    return {
        "score": right / len(results),
        "passed": right == len(results),
        "details": f"{right} of {len(results)} cases are right",
        "cases": results,
    }


def judge(solution_path, case):
    """Why a case failed (None when it did not), and what the solution printed."""
    done = run_solution(solution_path, stdin=case["input"])
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or [""]
        return f"it ended with exit code {done.returncode}: {last[0][:300]}", done.stdout
    if done.truncated:
        return "it printed more than is kept", done.stdout
    difference = output_difference(
        done.stdout, case["output"], compare=SETTINGS["compare"], tolerance=SETTINGS["tolerance"]
    )
    return difference, done.stdout
