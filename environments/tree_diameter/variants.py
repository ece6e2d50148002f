"""Chains, stars and small trees together; random trees whose longest way often avoids the root."""

import random

EDGES = [[-1], [-1, 0], [1, -1], [-1, 0, 0], [-1, 0, 1], [2, 2, -1], [-1, 0, 0, 1, 3], [-1, 0, 1, 1, 2, 3]]


def random_tree(rng, size, reach):
    order = rng.sample(range(size), size)
    parents = [-1] * size
    for at in range(1, size):
        parents[order[at]] = order[rng.randint(max(0, at - reach), at - 1)]
    return parents


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [(parents,) for parents in EDGES])]
    for number in range(16):
        trees = [random_tree(rng, rng.randint(4, 60), rng.choice([2, 3, 8, 60])) for _ in range(5)]
        cases.append((f"random_{number}", [(parents,) for parents in trees]))
    cases.append(("deep", [(random_tree(rng, 5_000, 1),), (random_tree(rng, 5_000, 4),)]))
    return cases
