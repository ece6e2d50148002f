"""Scripts of calls: a fixed one, then random ones over few keys, so that entries are found, replaced and removed."""

import random

FIXED = [
    ("keys",),
    ("put", "a", 0),
    ("put", "b", 2),
    ("get", "a"),
    ("put", "c", 3),
    ("get", "b"),
    ("keys",),
    ("put", "a", 5),
    ("put", "d", 4),
    ("get", "a"),
    ("keys",),
    ("get", "c"),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("two_entries", (2,), FIXED), ("one_entry", (1,), FIXED)]
    for number in range(14):
        capacity = rng.randint(1, 6)
        names = "abcdefghij"[: capacity + rng.randint(1, 3)]
        calls = [("put", rng.choice(names), rng.randint(-9, 9)), ("keys",)]
        for _ in range(50):
            kind = rng.choice(["put", "put", "get", "get", "keys"])
            if kind == "put":
                calls.append(("put", rng.choice(names), rng.randint(-9, 9)))
            else:
                calls.append(("get", rng.choice(names)) if kind == "get" else ("keys",))
        cases.append((f"random_{number}", (capacity,), calls))
    cases.append(("no_capacity", (rng.choice([0, -1, -7]),), []))
    return cases
