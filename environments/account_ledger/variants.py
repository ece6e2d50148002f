"""Scripts of calls: a fixed one for the rules, then random ones in which many calls are refused."""

import random

FIXED = [
    ("richest",),
    ("balance", "ann"),
    ("open", "ann"),
    ("balance", "ann"),
    ("history", "ann"),
    ("open", "ann"),
    ("open", "bob"),
    ("richest",),
    ("deposit", "ann", 1),
    ("deposit", "ann", 0),
    ("deposit", "cy", 0),
    ("transfer", "ann", "bob", 2),
    ("transfer", "ann", "cy", 1),
    ("transfer", "cy", "ann", 0),
    ("transfer", "ann", "ann", 1),
    ("transfer", "ann", "bob", 0),
    ("balance", "ann"),
    ("history", "ann"),
    ("transfer", "ann", "bob", 1),
    ("balance", "ann"),
    ("balance", "bob"),
    ("history", "ann"),
    ("history", "bob"),
    ("richest",),
    ("deposit", "ann", 1),
    ("richest",),
    ("history", "dee"),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("rules", (), FIXED)]
    for number in range(14):
        names = rng.sample(["ann", "bob", "cy", "dee"], 4)
        calls = [("open", names[0]), ("deposit", names[0], rng.randint(5, 99)), ("open", names[1])]
        for _ in range(50):
            kind = rng.choice(["open", "deposit", "transfer", "transfer", "balance", "history", "richest"])
            if kind == "deposit":
                calls.append((kind, rng.choice(names), rng.randint(-1, 30)))
            elif kind == "transfer":
                calls.append((kind, rng.choice(names), rng.choice(names), rng.randint(-1, 30)))
            else:
                calls.append((kind,) if kind == "richest" else (kind, rng.choice(names)))
            if kind == "transfer":
                calls.append(("balance", calls[-1][1]))
        calls += [(kind, name) for name in names for kind in ("balance", "history")]
        cases.append((f"random_{number}", (), calls))
    return cases
