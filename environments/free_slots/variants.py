"""Days without a slot stand with others; random days have overlaps, touching ends and slots of just the length."""

import random

EDGES = [
    ([], [0, 100], 100),
    ([], [0, 100], 101),
    ([], [5, 5], 1),
    ([[0, 100]], [0, 100], 1),
    ([[0, 60], [60, 90]], [0, 100], 20),
    ([[0, 60], [60, 90]], [0, 100], 10),
    ([[60, 120], [100, 150]], [0, 200], 50),
    ([[60, 120], [70, 80]], [0, 200], 60),
    ([[-50, 10], [190, 300]], [0, 200], 1),
    ([[-50, -10], [300, 310]], [0, 200], 1),
    ([[-50, 300]], [0, 200], 1),
    ([[-9, 0], [200, 209]], [0, 200], 1),
    ([[50, 51]], [0, 101], 50),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", EDGES)]
    for number in range(16):
        calls = []
        for _ in range(4):
            day = sorted(rng.sample(range(-50, 400), 2))
            starts = [rng.randint(-100, 450) for _ in range(rng.randint(1, 9))]
            busy = [[start, start + rng.choice([1, 10, 15, 60])] for start in starts]
            calls.append((busy, day, rng.choice([1, 2, 10, 30])))
        busy = [[start, start + 9] for start in rng.sample(range(0, 300, 10), 12)]
        calls.append((busy, [0, 301], rng.choice([1, 11])))
        cases.append((f"random_{number}", calls))
    return cases
