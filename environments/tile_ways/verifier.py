"""Compares with an oracle from another field: the generating function of words without equal neighbours."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(length, tiles):
    # Words without equal neighbours have the generating function 1 / (1 - sum of x^t / (1 + x^t)).
    series = [0] * (length + 1)
    for tile in tiles:
        for factor, power in enumerate(range(tile, length + 1, tile)):
            series[power] += (-1) ** factor
    ways = [1]
    for covered in range(1, length + 1):
        ways.append(sum(series[power] * ways[covered - power] for power in range(1, covered + 1)))
    return ways[length]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "tile_ways", make_cases(seed), oracle), seed)
