"""Compares, within the tolerance, with an oracle that starts from the point where the two circles meet."""

import math

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, close_to, verdict
from variants import make_cases


def oracle(r, s, distance):
    if distance >= r + s:
        return 0.0
    if distance <= abs(r - s):
        return math.pi * min(r, s) ** 2
    x = (distance * distance + r * r - s * s) / (2 * distance)
    y = math.sqrt((r - x) * (r + x))
    # Each circle cuts off a segment beyond the line through both meeting points: a sector without its triangle.
    return r * r * math.atan2(y, x) - x * y + s * s * math.atan2(y, distance - x) - (distance - x) * y


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    cases = check_calls(solution, "circle_overlap", make_cases(seed), oracle, differ=close_to(1e-7))
    return verdict(cases, seed)
