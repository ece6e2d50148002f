"""A throwaway verifier that runs two answers on the same inputs, each sealed, and tells where they differ.

The answer that is judged is the second one; the first is the file `first_answer.txt` beside it. The plan comes as the
test cases. The verdict's metrics hold the indices of the inputs on which they differ, and what each did on the first.
"""

import ast
import json
import math
import os
import tempfile

from deepgym_solution import (
    SolutionError,
    apply_patch,
    load_files,
    load_solution,
    run_solution,
    solution_source,
)

FIRST = "first_answer.txt"
MAX_SHOWN = 300
# One difference is a proof; a few more make a better example.
ENOUGH = 3


def same(left, right):
    """Whether two plain values are the same, types included; floats may differ in their last digits."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return (
            left == right
            or (left != left and right != right)
            or math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)
        )
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict):
        return list(map(repr, left)) == list(map(repr, right)) and all(
            same(left[key], right[key]) for key in left
        )
    return left == right


def shown(outcome):
    how, value = outcome
    text = repr(value)
    text = text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."
    return f"raises {value}" if how == "raised" else text


def error_name(error):
    return next(
        (kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"), "SolutionError"
    )


def attempt(function):
    try:
        return "value", function()
    except SolutionError as error:
        return "raised", error_name(error)


class Code:
    """An answer whose functions and classes are called."""

    def __init__(self, path, plan):
        self.plan = plan
        if plan.get("before"):
            files = apply_patch(solution_source(path), plan["before"])
            self.solution = load_files(files, plan["entry"], case_timeout=plan["timeout"])
        else:
            self.solution = load_solution(path, case_timeout=plan["timeout"])

    def outcome(self, item):
        if item["kind"] == "object":
            return self.use_object(item)
        args, kwargs = ast.literal_eval(item["args"]), ast.literal_eval(item["kwargs"])
        call = self.solution.call
        if item["returns"] == "args":
            return attempt(lambda: call(item["name"], *args, returns="args", **kwargs))
        return attempt(lambda: call(item["name"], *args, **kwargs))

    def use_object(self, item):
        """What each call on an object gives, up to the first that raises in a way that ends it."""
        results = []
        try:
            made = self.solution.call(item["name"], *ast.literal_eval(item["args"]), returns="handle")
        except SolutionError as error:
            return "raised", error_name(error)
        for name, args in item["calls"]:
            results.append(attempt(lambda name=name, args=args: made.call(name, *ast.literal_eval(args))))
        return "value", results


class Program:
    """An answer that is run as a program."""

    def __init__(self, path, plan):
        self.path, self.plan = path, plan
        if plan.get("before"):
            self.files = apply_patch(solution_source(path), plan["before"])

    def outcome(self, item):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in item["files"].items():
                target = os.path.join(folder, name)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "w", encoding="utf-8", newline="") as file:
                    file.write(text)
            return attempt(lambda: self.run(item, folder))

    def run(self, item, folder):
        stdin = item["stdin"]
        done = run_solution(
            self.path, item["args"], cwd=folder, timeout=self.plan["timeout"], stdin=stdin,
            interpreter=item["interpreter"], allow_subprocess=item["allow_subprocess"],
        )  # fmt: skip
        after = {}
        for place, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(place, name)
                if not os.path.islink(path) and os.path.getsize(path) < 1_000_000:
                    with open(path, "rb") as file:
                        after[os.path.relpath(path, folder)] = file.read()
        return [done.stdout, done.returncode == 0, dict(sorted(after.items()))]


def verify(solution_path, test_cases_path):
    with open(test_cases_path, encoding="utf-8") as file:
        plan = json.load(file)
    kind = Program if plan["style"] == "program" else Code
    first, second = kind(FIRST, plan), kind(solution_path, plan)
    different, left_out, example = [], 0, None
    for number, item in enumerate(plan["inputs"]):
        expected = first.outcome(item)
        # An input that was made up and that the first answer refuses is none that the task speaks of.
        if expected[0] == "raised" and not item["observed"]:
            left_out += 1
            continue
        got = second.outcome(item)
        if not same(expected, got):
            different.append(number)
            example = example or [shown(expected), shown(got)]
            if len(different) == ENOUGH:
                break
    tried = number + 1 - left_out if plan["inputs"] else 0
    return {
        "score": float(not different),
        "metrics": {"different": different, "example": example, "tried": tried},
    }
