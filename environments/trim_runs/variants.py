"""Lists with nothing to remove are one case together; the others hold runs around the limit."""

import random

UNCHANGED = [([], 3), ([4], 1), ([1, 2, 1, 2], 1), ([0, 0, 1, 1], 2), ([9, 9, 9], 5)]
EDGES = [([1, 1], 1), ([1, 1, 1, 2, 1], 2), ([0, 0, 0, 0], 3), ([5, 5, 0, 0, 0, 5, 5], 1), ([3, 2, 2, 2], 2)]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("nothing_to_remove", UNCHANGED)]
    cases += [(f"edge_{number}", args) for number, args in enumerate(EDGES)]
    for number in range(12):
        keep = rng.randint(1, 4)
        values = []
        for _ in range(rng.randint(3, 30)):
            values += [rng.randint(-2, 2)] * rng.randint(1, keep + 2)
        values += [7] * (keep + rng.randint(1, 2))
        cases.append((f"random_{number}", (values, keep)))
    cases.append(("long", ([rng.randint(0, 1) for _ in range(10_000)], 2)))
    return cases
