"""Accepts any x next to which the polynomial, in exact fractions, changes its sign."""

import math
from fractions import Fraction

from deepgym_solution import load_solution, run_seed

from scoring import check_answers, verdict
from variants import make_cases

# The task says 1e-6; the cases' own coefficients are rounded, which moves a root by less than the rest.
TOLERANCE = Fraction(2, 10**6)


def value(coefficients, x):
    total = Fraction(0)
    for coefficient in coefficients:
        total = total * x + Fraction(coefficient)
    return total


def judge(answer, coefficients, low, high):
    if type(answer) is not float or not math.isfinite(answer):
        return "the result is no finite float"
    if not low <= answer <= high:
        return f"{answer!r} does not lie between {low!r} and {high!r}"
    left = max(Fraction(answer) - TOLERANCE, Fraction(low))
    right = min(Fraction(answer) + TOLERANCE, Fraction(high))
    if value(coefficients, left) * value(coefficients, right) > 0:
        return f"the polynomial does not change its sign near {answer!r}"
    return None


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_answers(solution, "find_root", make_cases(seed), judge), seed)
