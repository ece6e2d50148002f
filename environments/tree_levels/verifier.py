"""Compares with an oracle that sorts all values by their level, and within it by their position."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def placed(tree, level=0, position=0):
    """Every value with its level and its position from the left, as in a full tree."""
    if tree is None:
        return []
    value, left, right = tree
    return [
        (level, position if level % 2 == 0 else -position, value),
        *placed(left, level + 1, 2 * position),
        *placed(right, level + 1, 2 * position + 1),
    ]


def oracle(tree):
    values = sorted(placed(tree))
    depth = 1 + max((level for level, _, _ in values), default=-1)
    return [[value for level, _, value in values if level == wanted] for wanted in range(depth)]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "tree_levels", make_cases(seed), oracle), seed)
