"""Scripts of calls: a fixed one, then random ones that grow, shrink to nothing, and grow again."""

import random

FIXED = [
    ("size",),
    ("pop",),
    ("median",),
    ("push", 5),
    ("median",),
    ("push", 1),
    ("median",),
    ("push", 9),
    ("median",),
    ("pop",),
    ("pop",),
    ("median",),
    ("pop",),
    ("size",),
    ("median",),
    ("push", 2),
    ("push", 2),
    ("pop",),
    ("median",),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("fixed", (), FIXED)]
    for number in range(12):
        reach = rng.choice([2, 10, 10**9])
        calls = [("push", rng.randint(-reach, reach)) for _ in range(rng.randint(1, 5))] + [("median",)]
        for _ in range(50):
            kind = rng.choice(["push", "push", "pop", "pop", "median", "median", "size"])
            calls.append((kind, rng.randint(-reach, reach)) if kind == "push" else (kind,))
        cases.append((f"random_{number}", (), calls))
    many = [("push", rng.randint(-99, 99)) for _ in range(200)]
    calls = [call for push in many for call in (push, ("median",))] + [("pop",), ("median",)] * 50
    cases.append(("many", (), calls))
    return cases
