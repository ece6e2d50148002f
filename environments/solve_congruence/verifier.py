"""Compares with an oracle that tries every x where that is possible, and else turns to a smaller modulus."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(a, b, modulus):
    if modulus <= 1_000:
        return next((x for x in range(modulus) if (a * x - b) % modulus == 0), None)
    a, b = a % modulus, b % modulus
    if b == 0:
        return 0
    if a == 0:
        return None
    # a * x = modulus * y + b: the smallest y that makes the right side divisible by a gives the smallest x.
    y = oracle(modulus, -b, a)
    return None if y is None else (modulus * y + b) // a


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "solve_congruence", make_cases(seed), oracle), seed)
