"""Scripts of calls: a fixed one, then random ones over words of two or three letters, many of them beginnings of others."""

import random

FIXED = [
    ("count", ""),
    ("remove", "a"),
    ("longest_common", "abc"),
    ("add", "ab"),
    ("first", "", 5),
    ("add", "abc"),
    ("add", "ab"),
    ("count", "ab"),
    ("count", "abc"),
    ("count", "b"),
    ("first", "a", 1),
    ("first", "a", 0),
    ("longest_common", "abd"),
    ("remove", "ab"),
    ("count", ""),
    ("remove", "ab"),
    ("remove", "ab"),
    ("remove", "a"),
    ("count", "ab"),
    ("first", "", 9),
    ("add", ""),
    ("count", ""),
    ("first", "", 9),
    ("longest_common", ""),
    ("remove", ""),
    ("remove", "abc"),
    ("longest_common", "abc"),
    ("count", "a"),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("fixed", (), FIXED)]
    for number in range(14):
        letters = rng.choice(["ab", "abc", "aA é"])

        def word(most=4, letters=letters):
            return "".join(rng.choice(letters) for _ in range(rng.randint(0, most)))

        calls = [("add", word()), ("add", "x" + word()), ("first", "x", 2)]
        for _ in range(60):
            kind = rng.choice(["add", "add", "remove", "count", "first", "longest_common"])
            calls.append((kind, word(2), rng.randint(1, 4)) if kind == "first" else (kind, word()))
        cases.append((f"random_{number}", (), calls))
    return cases
