"""Networks without critical cables stand together; random ones are sparse enough to have some."""

import random

NONE = [
    (0, []),
    (1, []),
    (1, [[0, 0]]),
    (3, []),
    (2, [[0, 1], [1, 0]]),
    (3, [[0, 1], [1, 2], [2, 0]]),
    (2, [[1, 1]]),
]
EDGES = [
    (2, [[0, 1]]),
    (2, [[1, 0], [1, 1]]),
    (4, [[0, 1], [1, 2], [2, 0], [3, 1]]),
    (6, [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 5], [5, 3]]),
    (5, [[4, 3], [2, 1]]),
    (4, [[0, 1], [1, 2], [2, 3], [1, 2]]),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("nothing_critical", NONE), ("edges", EDGES)]
    for number in range(16):
        calls = []
        for _ in range(4):
            count = rng.randint(3, 14)
            links = [[rng.randrange(count), rng.randrange(count)] for _ in range(rng.randint(2, count + 3))]
            calls.append((count + 2, [*links, [count + 1, count]]))
        cases.append((f"random_{number}", calls))
    order = rng.sample(range(2_000), 2_000)
    cases.append(("chain", (2_000, [list(pair) for pair in zip(order, order[1:])])))
    return cases
