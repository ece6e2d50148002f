"""Compares, within the tolerance, with an oracle that adds up trapezoids in exact fractions."""

from fractions import Fraction

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, close_to, verdict
from variants import make_cases


def oracle(points):
    corners = [(Fraction(x), Fraction(y)) for x, y in points]
    sides = zip(corners, corners[1:] + corners[:1], strict=True)
    return float(abs(sum((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in sides)))


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    cases = check_calls(solution, "polygon_area", make_cases(seed), oracle, differ=close_to(1e-9))
    return verdict(cases, seed)
