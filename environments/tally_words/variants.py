"""Texts with ties, digits, apostrophes and letters beyond ASCII."""

import random

EDGES = [
    "The cat. The dog's cat!\n",
    "",
    "\n \n",
    "...42...",
    "a",
    "a A a",
    "x1y2z",
    "naïve café Übung ß",
    "b a\nB\tA\r\nc",
    "no-end",
    "\u212aa \u017fs",  # letters whose small or capital form is one of ours
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [((), text) for text in EDGES])]
    for number in range(10):
        letters = rng.choice(["ab", "abC", "aBcDé"])
        pieces = []
        for _ in range(rng.randint(20, 200)):
            pieces.append("".join(rng.choice(letters) for _ in range(rng.randint(1, 3))))
            pieces.append(rng.choice([" ", "\n", ", ", "'", "1", " - "]))
        cases.append((f"random_{number}", ((), "".join(pieces))))
    return cases
