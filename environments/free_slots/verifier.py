"""Compares with an oracle that marks every minute of the day."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(busy, day, length):
    slots = []
    for minute in range(*day):
        if any(start <= minute < end for start, end in busy):
            continue
        if slots and slots[-1][1] == minute:
            slots[-1][1] = minute + 1
        else:
            slots.append([minute, minute + 1])
    return [[start, end] for start, end in slots if end - start >= length]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "free_slots", make_cases(seed), oracle), seed)
