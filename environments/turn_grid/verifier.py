"""Compares the caller's list after the call with a grid that was read by its coordinates."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(grid):
    size = len(grid)
    grid[:] = [[grid[size - 1 - column][row] for column in range(size)] for row in range(size)]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "turn_grid", make_cases(seed), oracle), seed)
