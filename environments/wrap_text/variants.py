"""Texts whose words are often just as long as the line, one longer, or several lines long."""

import random

EDGES = [
    ("", 5),
    ("  \n\t ", 1),
    ("a", 1),
    ("ab", 1),
    ("a b c", 1),
    ("a b c", 3),
    ("a b c", 4),
    ("the quick  brown fox", 9),
    ("a longword b", 4),
    ("abcdefg h", 5),
    ("abcde fghij", 5),
    ("x " + "y" * 10, 5),
    ("one\ttwo\nthree\u00a0four", 7),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", EDGES)]
    for number in range(14):
        width = rng.randint(1, 12)
        words = [
            "abcdefghijklmnopqrstuvwxyz"[: rng.randint(1, 2 * width + 1)] for _ in range(rng.randint(5, 40))
        ]
        cases.append((f"random_{number}", (rng.choice([" ", "  ", "\n"]).join(words), width)))
    words = ["w" * rng.randint(1, 9) for _ in range(2_000)]
    cases.append(("long", (" ".join(words), 60)))
    return cases
