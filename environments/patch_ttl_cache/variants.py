"""Scripts of calls: fixed ones for each promise of the docstrings, then random ones with times around the end of an entry."""

import random

FIXED = [
    (
        "the_end",
        (5, 9),
        [("put", "a", 1, 0), ("get", "a", 4), ("get", "a", 5), ("size", 5), ("purge", 6), ("purge", 6)],
    ),
    (
        "defaults",
        (5, 9),
        [("get", "a", 0, 7), ("put", "a", 1, 0), ("get", "a", 4, 7), ("get", "a", 5, 7), ("get", "a", 9, 0)],
    ),
    (
        "stored_again",
        (5, 9),
        [
            ("put", "a", 1, 0),
            ("put", "a", 2, 3),
            ("get", "a", 5),
            ("get", "a", 7),
            ("get", "a", 8),
            ("size", 8),
        ],
    ),
    (
        "purge",
        (3, 9),
        [
            ("put", "b", 1, 0),
            ("put", "a", 1, 0),
            ("put", "c", 1, 2),
            ("purge", 2),
            ("purge", 3),
            ("size", 3),
            ("get", "c", 4),
        ],
    ),
    (
        "oldest_goes",
        (9, 2),
        [
            ("put", "a", 1, 0),
            ("put", "b", 2, 0),
            ("put", "a", 3, 0),
            ("put", "c", 4, 0),
            ("get", "b", 1),
            ("get", "a", 1),
            ("size", 9),
        ],
    ),
    (
        "ended_go_first",
        (4, 2),
        [
            ("put", "a", 1, 0),
            ("put", "b", 2, 3),
            ("put", "c", 3, 4),
            ("get", "b", 5),
            ("get", "c", 5),
            ("purge", 8),
            ("size", 8),
        ],
    ),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = list(FIXED)
    for number in range(12):
        ttl, capacity = rng.randint(1, 8), rng.randint(1, 4)
        names, now = "abcdef"[: capacity + 2], 0
        calls = []
        for _ in range(60):
            now += rng.choice([0, 0, 1, 1, 2, ttl - 1, ttl])
            kind = rng.choice(["put", "put", "put", "get", "get", "size", "purge"])
            if kind == "put":
                calls.append((kind, rng.choice(names), rng.randint(0, 99), now))
            elif kind == "get":
                calls.append((kind, rng.choice(names), now, rng.choice([None, -1])))
            else:
                calls.append((kind, now))
        cases.append((f"random_{number}", (ttl, capacity), calls))
    return cases
