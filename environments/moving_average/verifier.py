"""Compares, within the tolerance, with the mean of every window by itself."""

from statistics import fmean

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, close_to, verdict
from variants import make_cases


def oracle(values, reach):
    near = [
        [j for j in range(at - reach, at + reach + 1) if 0 <= j < len(values)] for at in range(len(values))
    ]
    return [float(fmean(values[j] for j in window)) for window in near]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    cases = check_calls(solution, "moving_average", make_cases(seed), oracle, differ=close_to(1e-9))
    return verdict(cases, seed)
