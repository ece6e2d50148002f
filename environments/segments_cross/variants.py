"""Cases of many pairs each, of which some cross, some touch, some lie on one line, and some are points."""

import random

BIG = 10**12
EDGES = [
    (
        "crossing",
        [
            ((0, 0), (4, 4), (0, 4), (4, 0)),
            ((0, 0), (4, 4), (5, 4), (4, 5)),
            ((0, 0), (9, 0), (5, 1), (5, 9)),
        ],
    ),
    (
        "touching",
        [
            ((0, 0), (4, 0), (2, 0), (2, 5)),
            ((0, 0), (4, 0), (4, 0), (9, 9)),
            ((0, 0), (4, 0), (5, 0), (5, 5)),
        ],
    ),
    (
        "one_line",
        [
            ((0, 0), (2, 2), (3, 3), (5, 5)),
            ((0, 0), (3, 3), (3, 3), (5, 5)),
            ((0, 0), (4, 4), (1, 1), (2, 2)),
            ((0, 5), (0, 1), (0, 2), (0, 9)),
            ((0, 5), (0, 1), (0, 6), (0, 9)),
        ],
    ),
    (
        "points",
        [
            ((1, 1), (1, 1), (1, 1), (1, 1)),
            ((1, 1), (1, 1), (2, 1), (2, 1)),
            ((1, 1), (1, 1), (0, 0), (2, 2)),
            ((3, 3), (3, 3), (0, 0), (2, 2)),
            ((1, 1), (1, 1), (0, 0), (2, 3)),
        ],
    ),
    (
        "large",
        [
            ((0, 0), (BIG, BIG - 1), (1, 1), (BIG, BIG)),
            ((0, 0), (BIG, BIG - 1), (1, 0), (BIG, BIG)),
            ((0, 0), (BIG, BIG - 1), (0, 1), (BIG // 2, BIG // 2 - 1)),
        ],
    ),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [(name, [tuple(map(list, points)) for points in calls]) for name, calls in EDGES]
    for number in range(12):
        reach = rng.choice([1, 2, 3, 5])
        calls = [tuple([rng.randint(0, reach), rng.randint(0, reach)] for _ in "abcd") for _ in range(30)]
        x, y = rng.randint(-50, 50), rng.randint(-50, 50)
        calls += [
            ([x, y], [x + 3, y], [x + 1, y - 2], [x + 2, y + 2]),
            ([x, y], [x + 3, y], [x, y + 1], [x + 3, y + 2]),
        ]
        cases.append((f"random_{number}", calls))
    return cases
