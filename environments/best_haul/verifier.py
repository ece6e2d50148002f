"""Compares with an oracle that keeps, for every sum of values, the smallest weight that reaches it."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(items, limit):
    lightest = {0: 0}
    for weight, value in items:
        for total, used in list(lightest.items()):
            reached = used + weight
            if reached < lightest.get(total + value, limit + 1):
                lightest[total + value] = reached
    return max(lightest)


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "best_haul", make_cases(seed), oracle), seed)
