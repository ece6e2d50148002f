"""Strips that cannot be covered, or in few ways, stand together; the others have many coverings."""

import random

FEW = [
    (0, []),
    (0, [1, 2]),
    (5, []),
    (1, [1]),
    (2, [1]),
    (4, [2]),
    (3, [2]),
    (3, [1, 2]),
    (2, [2, 5]),
    (1, [3]),
    (3, [3, 1]),
]
EDGES = [(6, [1, 2, 3]), (6, [3, 2, 1]), (7, [1, 2]), (9, [2, 3, 4]), (30, [1, 2, 3, 4])]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("few", FEW)] + [(f"edge_{number}", args) for number, args in enumerate(EDGES)]
    for number in range(14):
        tiles = rng.sample(range(1, 9), rng.randint(3, 5))
        cases.append((f"random_{number}", [(length, tiles) for length in rng.sample(range(1, 80), 6)]))
    cases.append(("long", (300, rng.sample(range(1, 12), 5))))
    return cases
