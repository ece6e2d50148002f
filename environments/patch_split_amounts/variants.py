"""Amounts that leave cents over, with weights that lose the same, nothing, or different parts."""

import random


def make_split_cases(seed):
    rng = random.Random(seed)
    edges = [
        (100, [1, 1, 1]),
        (10, [1, 0, 2]),
        (0, [1, 2]),
        (7, [3]),
        (1, [1, 1]),
        (2, [1, 1, 1]),
        (5, [0, 0, 4]),
        (3, [2, 1, 1]),
        (4, [5, 1, 1]),
    ]
    cases = [("split_edges", edges)]
    for number in range(10):
        calls = []
        for _ in range(8):
            weights = [rng.choice([0, 1, 1, 2, rng.randint(1, 50)]) for _ in range(rng.randint(2, 8))]
            weights[rng.randrange(len(weights))] += 1
            calls.append((rng.choice([rng.randint(0, 200), rng.randrange(10**20)]), weights))
        cases.append((f"split_{number}", calls))
    return cases


def make_share_cases(seed):
    rng = random.Random(seed + 1)
    cases = [("share_edges", [(90, 3), (100, 3), (101, 3), (1, 2), (0, 4), (5, 1), (10**20 + 1, 3)])]
    for number in range(5):
        cases.append(
            (f"share_{number}", [(rng.randint(0, 10**6), rng.randint(1, 12)) for _ in range(10)] + [(200, 7)])
        )
    return cases
