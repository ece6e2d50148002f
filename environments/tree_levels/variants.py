"""Small trees together, then random ones: full, thin, and leaning to one side."""

import random

LEAF = [7, None, None]
EDGES = [
    None,
    LEAF,
    [1, LEAF, None],
    [1, None, LEAF],
    [1, LEAF, [8, None, None]],
    [0, [0, LEAF, None], [0, None, [9, None, None]]],
    [
        1,
        [2, [4, [8, None, None], [9, None, None]], [5, None, None]],
        [3, [6, None, None], [7, [-1, None, None], None]],
    ],
]


def random_tree(rng, depth, density):
    if depth == 0 or rng.random() > density:
        return None
    value = rng.randint(-50, 50)
    return [value, random_tree(rng, depth - 1, density), random_tree(rng, depth - 1, density)]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [(tree,) for tree in EDGES])]
    for number in range(14):
        top = [random_tree(rng, 5, rng.choice([0.7, 0.9])) for _ in "lr"]
        full = random_tree(rng, 4, 1.0)
        cases.append(
            (f"random_{number}", [([rng.randint(0, 9), *top],), ([rng.randint(0, 9), full, top[0]],)])
        )
    chain = None
    for value in range(40):
        chain = [value, chain, None] if rng.random() < 0.5 else [value, None, chain]
    cases.append(("chain", (chain,)))
    return cases
