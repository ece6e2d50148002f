"""Equal and empty texts stand together; the others differ, under costs that make each kind of step the best."""

import random

EDGES = [
    ("", "", 1, 1, 1),
    ("", "abc", 2, 1, 1),
    ("abc", "", 2, 3, 1),
    ("same", "same", 5, 5, 5),
    ("a", "b", 2, 3, 9),
    ("a", "b", 2, 3, 5),
    ("a", "b", 9, 9, 4),
    ("house", "mouse", 1, 1, 1),
    ("ab", "ba", 1, 1, 3),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", EDGES)]
    for number in range(16):
        calls = []
        for _ in range(3):
            alphabet = rng.choice(["ab", "abcd"])
            source, target = ("".join(rng.choice(alphabet) for _ in range(rng.randint(1, 14))) for _ in "st")
            calls.append((source, target, rng.randint(1, 6), rng.randint(1, 6), rng.randint(1, 12)))
        cases.append((f"random_{number}", calls))
    source, target = ("".join(rng.choice("abc") for _ in range(60)) for _ in "st")
    cases.append(("long", (source, target, 3, 2, 4)))
    return cases
