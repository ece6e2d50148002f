"""Compares the result, and the caller's list after the call, with an oracle that builds a new list."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(values, keep):
    kept = [value for at, value in enumerate(values) if at < keep or values[at - keep : at] != [value] * keep]
    removed = len(values) - len(kept)
    values[:] = kept
    return removed


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "trim_runs", make_cases(seed), oracle), seed)
