"""Ways that do not exist, cost nothing, or compete; each random map is asked several questions."""

import random

TRIANGLE = [["a", "b", 4], ["b", "c", 1], ["a", "c", 9]]
EDGES = [
    ([], "a", "a"),
    ([], "a", "b"),
    ([["a", "a", 3]], "a", "a"),
    ([["a", "b", 0]], "b", "a"),
    ([["a", "b", 7], ["b", "a", 5]], "a", "b"),
    (TRIANGLE, "a", "c"),
    (TRIANGLE, "c", "a"),
    (TRIANGLE, "a", "d"),
    (TRIANGLE, "d", "d"),
    ([["a", "b", 1], ["c", "d", 1]], "a", "d"),
]


def make_map(rng, towns, count, dearest):
    roads = [[rng.choice(towns), rng.choice(towns), rng.randint(0, dearest)] for _ in range(count)]
    return roads + [["x1", "x2", rng.randint(1, 5)]]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", EDGES)]
    for number in range(14):
        towns = [f"town{i}" for i in range(rng.randint(4, 12))]
        roads = make_map(rng, towns, rng.randint(4, 26), rng.choice([1, 9, 60]))
        calls = [(roads, rng.choice(towns), rng.choice(towns)) for _ in range(8)]
        cases.append((f"random_{number}", [*calls, (roads, "x1", "x2"), (roads, "x1", towns[0])]))
    towns = [f"t{i}" for i in range(200)]
    cases.append(("large", [(make_map(rng, towns, 1_000, 99), "t0", "t1")]))
    return cases
