"""Numbers around the powers of every base, zero, and bases that are refused, mixed in every case."""

import random

EDGES = [
    (0, 2),
    (0, -2),
    (1, 2),
    (-1, 2),
    (-1, -2),
    (3, -2),
    (-3, -10),
    (255, 16),
    (-5, 2),
    (35, 36),
    (36, 36),
    (35, -36),
    (36, -36),
    (-36, -36),
    (2, 2),
    (10, 10),
    (-10, -10),
]
REFUSED = [(5, 0), (5, 1), (5, -1), (5, 37), (5, -37), (0, 100), (0, 1), (7, 36), (7, -36), (7, 2), (7, -2)]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", EDGES), ("bases", REFUSED)]
    for number in range(12):
        calls = [(rng.randint(-(10**4), 10**4), rng.choice([-1, 1]) * rng.randint(2, 36)) for _ in range(10)]
        for _ in range(6):
            base = rng.choice([-1, 1]) * rng.randint(2, 36)
            calls.append((base ** rng.randint(2, 9) + rng.randint(-1, 1), base))
        cases.append(
            (f"random_{number}", [*calls, (rng.randrange(10**30), -7), (-rng.randrange(10**30), 11)])
        )
    return cases
