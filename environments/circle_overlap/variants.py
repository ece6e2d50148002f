"""Discs apart, touching and inside stand together; random ones overlap in part, or each kind in one case."""

import random

EDGES = [
    (1, 1, 2),
    (1, 1, 5),
    (1.5, 2.5, 4),
    (3, 1, 1),
    (1, 3, 1),
    (3, 1, 2),
    (1, 3, 2),
    (2, 2, 0),
    (1, 1, 1),
    (0.5, 4, 0),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", EDGES)]
    for number in range(16):
        r, s = (rng.choice([rng.uniform(0.1, 5), rng.uniform(1, 300)]) for _ in "rs")
        inside, apart = abs(r - s), r + s
        part = [(r, s, inside + (apart - inside) * share) for share in (rng.uniform(0.05, 0.95), 0.1, 0.9)]
        cases.append(
            (f"random_{number}", [*part, (s, r, part[0][2]), (r, s, inside / 2), (r, s, apart * 1.5)])
        )
    return cases
