"""Compares with an oracle that tries every pair of points as a side: nothing may lie to its right."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def turn(a, b, c):
    """Above 0 when c lies to the left of the way from a to b, 0 when on its line."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def oracle(points):
    points = sorted({(x, y) for x, y in points})
    if not any(turn(points[0], points[-1], point) for point in points):
        return [list(point) for point in points[:1] + points[1:][-1:]]

    def is_side(a, b):
        # Whoever lies on its line lies between the two: a side is not a part of a longer one.
        return all(turn(a, b, c) > 0 or (turn(a, b, c) == 0 and min(a, b) <= c <= max(a, b)) for c in points)

    following = {a: b for a in points for b in points if a != b and is_side(a, b)}
    corners = [points[0]]
    while following[corners[-1]] != points[0]:
        corners.append(following[corners[-1]])
    return [list(corner) for corner in corners]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "convex_hull", make_cases(seed), oracle), seed)
