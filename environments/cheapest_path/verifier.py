"""Compares with an oracle that improves all costs, road by road, until none gets better."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(roads, start, goal):
    never = float("inf")
    costs = {town: never for a, b, _ in roads for town in (a, b)} | {goal: never} | {start: 0}
    changed = True
    while changed:
        changed = False
        for a, b, toll in roads:
            best = min(costs[a], costs[b])
            for town in (a, b):
                if best + toll < costs[town]:
                    costs[town] = best + toll
                    changed = True
    return None if costs[goal] == never else costs[goal]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "cheapest_path", make_cases(seed), oracle), seed)
