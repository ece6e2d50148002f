"""Hidden cases: edge cases that every seed has, then random ones. No answer can have seen them."""

import random

EDGES = [
    [],
    [[5, 5]],
    [[1, 4], [4, 6]],
    [[1, 3], [4, 6]],
    [[0, 0], [0, 0], [1, 1]],
    [[1, 100], [2, 3], [50, 60]],
    [[2, 3], [1, 100], [101, 102]],
    [[-5, -1], [-1, 0], [0, 2], [4, 4]],
    [[3, 4], [1, 2], [2, 3]],
    [[-(10**18), 0], [0, 10**18]],
]


def make_cases(seed):
    rng = random.Random(seed)
    # Together they are one case: what leaves the list as it is, or only sorts it, would be right for some.
    cases = [("edges", [(intervals,) for intervals in EDGES])]
    for number in range(12):
        size, width = rng.choice([(4, 3), (10, 6), (40, 12), (200, 5)])
        reach = size * rng.choice([2, 5])
        lows = [rng.randint(-reach, reach) for _ in range(size)]
        cases.append((f"random_{number}", ([[low, low + rng.randrange(width)] for low in lows],)))
    lows = [rng.randrange(10**6) for _ in range(2_000)]
    cases.append(("large", ([[low, low + rng.randrange(600)] for low in lows],)))
    return cases
