"""Small grids together, then random ones of odd and even size."""

import random


def make_cases(seed):
    rng = random.Random(seed)
    small = [([],), ([[7]],), ([[1, 2], [3, 4]],), ([[1, 2, 3], [4, 5, 6], [7, 8, 9]],)]
    cases = [("small", small)]
    for size in (2, 3, 4, 5, 6, 7, 10, 11, 24, 25):
        reach = rng.choice([2, 10, 10**12])
        grid = [[rng.randint(-reach, reach) for _ in range(size)] for _ in range(size)]
        grid[0][0], grid[0][1] = reach + 1, reach + 2  # no grid looks the same when turned
        cases.append((f"size_{size}", (grid,)))
    return cases
