"""Scripts of calls: fixed ones for both ends of the window, then random ones with several clients."""

import random

FIXED = [
    ("two_in_ten", (2, 10), "w0 a0 a3 a9 w9 w10 a10 w12 a12 w13 a13 a13 w13 w19 a20"),
    ("one_in_one", (1, 1), "a5 a5 w5 a6 w6 a6 w7 a8"),
    ("same_time", (3, 4), "a0 a0 a0 a0 w0 w3 a3 a4 a4 a4 w4 a4 w8"),
]


def make_cases(seed):
    rng = random.Random(seed)
    kinds = {"a": "allow", "w": "wait"}
    cases = [
        (name, args, [(kinds[word[0]], "c", int(word[1:])) for word in script.split()])
        for name, args, script in FIXED
    ]
    for number in range(14):
        limit, window = rng.randint(1, 4), rng.randint(1, 12)
        clients, time = rng.choice([["x"], ["x", "y"], ["x", "y", "z"]]), rng.randint(0, 50)
        calls = [("allow", "x", time)]
        for _ in range(70):
            time += rng.choice([0, 0, 1, 2, rng.randint(0, window)])
            calls.append((rng.choice(["allow", "allow", "wait"]), rng.choice(clients), time))
        cases.append((f"random_{number}", (limit, window), calls))
    return cases
