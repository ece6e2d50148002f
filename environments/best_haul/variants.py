"""Hauls that are empty or take everything stand together; in the others there is a choice."""

import random

EDGES = [
    ([], 0),
    ([], 9),
    ([[1, 5]], 0),
    ([[1, 5]], 1),
    ([[2, 5]], 1),
    ([[0, 7], [3, 5]], 2),
    ([[0, 4], [0, 3]], 0),
    ([[3, 0]], 3),
    ([[2, 3], [2, 3]], 4),
    ([[5, 10], [4, 40], [6, 30], [4, 50]], 10),
    ([[4, 5], [3, 4], [3, 4]], 6),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", EDGES)]
    for number in range(16):
        calls = []
        for _ in range(4):
            size, heaviest = rng.randint(3, 12), rng.choice([5, 12, 30])
            items = [[rng.randint(0, heaviest), rng.randint(1, 40)] for _ in range(size)]
            calls.append((items, sum(weight for weight, _ in items) * rng.randint(2, 7) // 9 + 1))
        cases.append((f"random_{number}", calls))
    cases.append(("many", ([[rng.randint(10, 90), rng.randint(10, 90)] for _ in range(40)], 800)))
    return cases
