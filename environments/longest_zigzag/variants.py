"""Short lists stand together; random ones have plateaus, climbs and turns."""

import random

EDGES = [
    [],
    [4],
    [4, 4, 4],
    [1, 2],
    [2, 1],
    [1, 1, 2],
    [2, 1, 1],
    [1, 2, 3],
    [3, 2, 1],
    [1, 2, 1],
    [2, 1, 2],
    [1, 2, 2, 1],
]
MORE = [[1, 7, 4, 9, 2, 5], [1, 2, 3, 3, 2], [5, 5, 6, 6, 5, 5], [0, -1, -1, 0]]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [(values,) for values in EDGES + MORE])]
    for number in range(14):
        calls = []
        for _ in range(4):
            reach = rng.choice([1, 2, 5, 100])
            calls.append(([rng.randint(-reach, reach) for _ in range(rng.randint(2, 40))],))
        cases.append((f"random_{number}", calls))
    cases.append(("long", ([rng.randint(0, 50) for _ in range(300)],)))
    return cases
