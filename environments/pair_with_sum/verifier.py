"""Compares with an oracle that tries all pairs in the order asked for."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(values, target):
    for j in range(len(values)):
        if target - values[j] in values[:j]:
            return [values.index(target - values[j]), j]
    return None


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "pair_with_sum", make_cases(seed), oracle), seed)
