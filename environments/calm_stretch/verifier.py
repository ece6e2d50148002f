"""Compares with an oracle that grows a stretch from every start, as far as it stays calm."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(values, spread):
    best = [0, 0]
    for start in range(len(values)):
        low = high = values[start]
        end = start
        while end < len(values) and max(high, values[end]) - min(low, values[end]) <= spread:
            low, high = min(low, values[end]), max(high, values[end])
            end += 1
        if end - start > best[1]:
            best = [start, end - start]
    return best


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "calm_stretch", make_cases(seed), oracle), seed)
