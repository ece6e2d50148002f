"""Few guests stand together; random houses have guests who come as others go, and the same crowd more than once."""

import random

EDGES = [
    [],
    [[7, 9]],
    [[1, 5], [5, 8]],
    [[5, 8], [1, 5]],
    [[1, 5], [2, 6], [5, 8]],
    [[1, 3], [1, 2], [1, 4]],
    [[0, 9], [1, 2], [3, 4]],
    [[3, 4], [1, 2]],
    [[-5, -1], [-3, 0]],
    [[1, 4], [2, 4], [4, 6], [4, 7], [4, 9]],
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [(stays,) for stays in EDGES])]
    for number in range(16):
        calls = []
        for _ in range(4):
            reach = rng.choice([5, 12, 60])
            arrivals = [rng.randint(-reach, reach) for _ in range(rng.randint(2, 24))]
            calls.append(([[time, time + rng.randint(1, rng.choice([2, 9]))] for time in arrivals],))
        cases.append((f"random_{number}", calls))
    arrivals = [rng.randrange(10**6) for _ in range(5_000)]
    cases.append(("many", ([[time, time + rng.randint(1, 9_000)] for time in arrivals],)))
    return cases
