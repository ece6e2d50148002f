"""Words over few letters, shuffled and in mixed case, so that many belong together and many only seem to."""

import random

EDGES = [
    [],
    [""],
    ["", "a", ""],
    ["stop", "Pots", "cat", "opts", "act"],
    ["aab", "abb", "ab", "BA"],
    ["x", "x", "X"],
    ["b a", "ab ", "ab"],
    ["éa", "aÉ", "ea"],
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [(f"edge_{number}", (words,)) for number, words in enumerate(EDGES)]
    for number in range(12):
        letters = rng.choice(["ab", "abc", "abcd-"])
        words = []
        for _ in range(rng.randint(6, 60)):
            word = [rng.choice(letters) for _ in range(rng.randint(1, 5))]
            words.append("".join(rng.choice([letter, letter.upper()]) for letter in word))
        cases.append((f"random_{number}", (words,)))
    many = ["".join(rng.choice("abcdefgh") for _ in range(5)) for _ in range(5_000)]
    cases.append(("many", (many,)))
    return cases
