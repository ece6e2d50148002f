"""Compares with an oracle that looks, for every item, at all items it could follow."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(values):
    rising, falling = [], []
    for at, value in enumerate(values):
        rising.append(1 + max((falling[i] for i in range(at) if values[i] < value), default=0))
        falling.append(1 + max((rising[i] for i in range(at) if values[i] > value), default=0))
    return max(rising + falling, default=0)


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "longest_zigzag", make_cases(seed), oracle), seed)
