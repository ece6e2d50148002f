"""Maps without land stand with other small ones; random maps have islands of many sizes and around the edge."""

import random

EDGES = [
    [],
    ["."],
    ["#"],
    ["..", ".."],
    ["##"],
    ["#", "#", ".", "#"],
    ["#.#", "...", ".##"],
    ["#.#.", "....", "#..#"],
    ["#..", ".#.", "..#"],
    ["#.#", "#.#", "..."],
    ["##.", "...", "##."],
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [(rows,) for rows in EDGES])]
    for number in range(14):
        calls = []
        for _ in range(3):
            height, width, land = rng.randint(2, 9), rng.randint(2, 9), rng.choice(["#..", "#.", "##."])
            calls.append((["".join(rng.choice(land) for _ in range(width)) for _ in range(height)],))
        cases.append((f"random_{number}", calls))
    cases.append(("all_land", [(["#" * 60] * 60,), (["#" * 59 + "."] * 60,)]))
    return cases
