"""Compares with an oracle that gathers everybody above each of the two, and takes the lowest of both."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def above(boss_of, person):
    people = [person]
    while boss_of[people[-1]] is not None:
        people.append(boss_of[people[-1]])
    return people


def oracle(boss_of, first, second):
    both = set(above(boss_of, first)) & set(above(boss_of, second))
    return max(both, key=lambda person: len(above(boss_of, person)), default=None)


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "common_boss", make_cases(seed), oracle), seed)
