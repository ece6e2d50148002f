"""Short lists stand together; random ones mix sizes and magnitudes, and windows wider than the list."""

import random

EDGES = [
    ([], 3),
    ([5], 0),
    ([5], 9),
    ([4, 8], 0),
    ([1, 2], 1),
    ([1, 2, 6, 3], 1),
    ([1, 2, 6, 3], 2),
    ([1, 2, 6, 3], 3),
    ([0.1] * 4, 1),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", EDGES)]
    for number in range(12):
        calls = []
        for _ in range(3):
            values = [
                rng.choice([rng.randint(-9, 9), rng.uniform(-100, 100)]) for _ in range(rng.randint(3, 40))
            ]
            calls.append((values, rng.choice([1, 2, 3, 7, 50])))
        cases.append((f"random_{number}", calls))
    for number in range(3):
        values = [rng.uniform(0, 1) for _ in range(60)]
        for at in rng.sample(range(20), 4):
            values[at] = rng.choice([-1, 1]) * 1e15
        cases.append((f"magnitudes_{number}", (values, 3)))
    cases.append(("wide", ([rng.uniform(-1, 1) for _ in range(1_500)], 400)))
    return cases
