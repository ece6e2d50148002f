"""Scripts of calls over short lists, with positions around both ends, and one over a long list."""

import random

FIXED = [
    ("total", 0, 3),
    ("total", 1, 1),
    ("total", 3, 3),
    ("total", 1, 4),
    ("total", 2, 1),
    ("total", -1, 2),
    ("first_at_least", 0),
    ("first_at_least", 4),
    ("first_at_least", 5),
    ("first_at_least", -9),
    ("change", 3, 1),
    ("change", -1, 1),
    ("total", 0, 3),
    ("change", 0, -5),
    ("change", 2, 7),
    ("total", 0, 3),
    ("total", 2, 3),
    ("first_at_least", 1),
    ("first_at_least", 0),
]


def make_calls(rng, length, count):
    calls = [("total", 0, length)]
    for _ in range(count):
        kind = rng.choice(["total", "total", "change", "first_at_least"])
        if kind == "total":
            calls.append((kind, *sorted([rng.randint(0, length), rng.randint(0, length)])))
        elif kind == "change":
            calls.append((kind, rng.randint(0, max(length - 1, 0)), rng.randint(-20, 20)))
        else:
            calls.append((kind, rng.randint(-5, 4 * length)))
    return calls


def make_cases(seed):
    rng = random.Random(seed)
    # The empty list's only total is 0; the totals after it tell the lists of the other cases apart.
    cases = [
        ("fixed", ([4, -1, 2],), FIXED),
        ("empty", ([],), [("change", 0, 1), ("first_at_least", 1), ("total", 0, 0)]),
    ]
    for number in range(12):
        length = rng.choice([1, 2, 7, 8, 9, 33, 64])
        calls = make_calls(rng, length, 40)
        for _ in range(6):
            start = rng.randint(-1, length + 1)
            calls.insert(rng.randrange(len(calls)), ("total", start, start + rng.randint(-1, 1)))
            calls.insert(
                rng.randrange(len(calls)), ("change", rng.choice([-1, length, length - 1]), rng.randint(5, 9))
            )
        values = [rng.randint(-9, 30) for _ in range(length)]
        values[0] = rng.randint(31, 99)
        cases.append((f"random_{number}", (values,), calls))
    cases.append(("long", ([rng.randint(-99, 99) for _ in range(4_000)],), make_calls(rng, 4_000, 100)))
    return cases
