"""Points on one line stand together; random clouds lie on a small grid, with many points on the sides."""

import random

FLAT = [
    [],
    [[3, 4]],
    [[3, 4], [3, 4]],
    [[5, 1], [2, 1]],
    [[3, 3], [1, 1], [2, 2]],
    [[0, 5], [0, -5], [0, 0], [0, 5]],
    [[0, 0], [2, 1], [4, 2]],
    [[0, 0], [1, 0], [0, 1]],
]
EDGES = [
    [[0, 0], [2, 0], [1, 1], [2, 2], [0, 2], [1, 0]],
    [[0, 1], [0, 0], [1, 0], [1, 1], [0, 0]],
    [[0, 2], [2, 0], [4, 2], [2, 4], [2, 2], [1, 1], [3, 3]],
    [[10**12, 0], [0, 10**12], [-(10**12), 0], [1, 10**12 - 1], [1, 10**12 - 2], [-1, 10**12 - 1]],
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("on_one_line", [(points,) for points in FLAT]), ("edges", [(points,) for points in EDGES])]
    for number in range(14):
        calls = []
        for _ in range(3):
            reach = rng.choice([1, 2, 4, 10, 10**12])
            calls.append(([[rng.randint(-reach, reach) for _ in "xy"] for _ in range(rng.randint(5, 22))],))
        cases.append((f"random_{number}", calls))
    return cases
