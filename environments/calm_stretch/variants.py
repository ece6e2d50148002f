"""Edge cases first, then random lists whose calm stretches are long, short and often equally long."""

import random

EDGES = [
    ([], 0),
    ([7], 0),
    ([5, 1, 5, 1], 0),
    ([1, 1, 2, 2, 2, 9], 0),
    ([4, 9, 7, 8, 2], 2),
    ([1, 2, 3, 4, 5], 2),
    ([5, 4, 3, 2, 1], 2),
    ([0, 3, 0, 3, 6, 3], 3),
    ([-(10**15), 10**15, 10**15 - 1], 1),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [(f"edge_{number}", args) for number, args in enumerate(EDGES)]
    for number in range(14):
        reach, spread = rng.choice([(3, 1), (6, 2), (10, 5), (50, 20), (100, 99)])
        values = [rng.randint(-reach, reach) for _ in range(rng.randint(12, 120))]
        cases.append((f"random_{number}", (values, spread)))
    walk = [0]
    while len(walk) < 5_000:
        walk.append(walk[-1] + rng.choice([-1, 0, 1]))
    cases.append(("long_walk", (walk, 6)))
    return cases
