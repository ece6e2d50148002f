"""Compares with an oracle that looks for the cheapest way through the graph of all positions."""

import heapq

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(source, target, insert, delete, replace):
    todo, done = [(0, 0, 0)], set()
    while True:
        cost, i, j = heapq.heappop(todo)
        if (i, j) == (len(source), len(target)):
            return cost
        if (i, j) in done:
            continue
        done.add((i, j))
        if j < len(target):
            heapq.heappush(todo, (cost + insert, i, j + 1))
        if i < len(source):
            heapq.heappush(todo, (cost + delete, i + 1, j))
        if i < len(source) and j < len(target):
            heapq.heappush(todo, (cost + (source[i] != target[j]) * replace, i + 1, j + 1))


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "edit_cost", make_cases(seed), oracle), seed)
