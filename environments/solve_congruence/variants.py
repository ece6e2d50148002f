"""Congruences with and without a solution in every case, small ones by the dozen and very large ones."""

import random

EDGES = [
    (3, 2, 7),
    (4, 2, 6),
    (4, 1, 6),
    (5, 0, 9),
    (0, 0, 5),
    (0, 3, 5),
    (0, 5, 5),
    (7, 3, 1),
    (-3, 2, 7),
    (3, -2, 7),
    (6, 4, 2),
    (10, 5, 15),
    (15, 10, 25),
    (1, 0, 1),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", EDGES)]
    for number in range(10):
        calls = [(rng.randint(-40, 40), rng.randint(-40, 40), rng.randint(1, 40)) for _ in range(20)]
        cases.append((f"small_{number}", [*calls, (7, rng.randint(1, 10), 11)]))
    for number in range(6):
        calls = []
        for _ in range(6):
            factor, modulus = rng.choice([1, 6, 10**6]), rng.randrange(10**8, 10**12)
            a, b = (rng.randrange(-(10**12), 10**12) * rng.choice([1, factor]) for _ in "ab")
            calls.append((a, b, modulus * factor))
        cases.append((f"large_{number}", [*calls, (10**17 + 3, rng.randrange(1, 10**17), 10**18)]))
    return cases
