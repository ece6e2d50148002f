"""Compares with an oracle that asks for the point in common, in exact fractions."""

from fractions import Fraction

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(a, b, c, d):
    u, v, w = ((q[0] - p[0], q[1] - p[1]) for p, q in ((a, b), (c, d), (a, c)))
    determinant = u[0] * v[1] - u[1] * v[0]
    if determinant:
        along_first = Fraction(w[0] * v[1] - w[1] * v[0], determinant)
        along_second = Fraction(w[0] * u[1] - w[1] * u[0], determinant)
        return 0 <= along_first <= 1 and 0 <= along_second <= 1
    # Parallel, or a point: if they share a point, then also an end of one of them.
    return any(lies_on(p, q, r) for p, q, r in ((a, b, c), (a, b, d), (c, d, a), (c, d, b)))


def lies_on(start, end, point):
    """Whether a point is start + t * (end - start) for a t from 0 to 1."""
    step = [end[0] - start[0], end[1] - start[1]]
    way = [point[0] - start[0], point[1] - start[1]]
    if step == [0, 0]:
        return way == [0, 0]
    axis = 0 if step[0] else 1
    t = Fraction(way[axis], step[axis])
    return 0 <= t <= 1 and [t * step[0], t * step[1]] == way


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "segments_cross", make_cases(seed), oracle), seed)
