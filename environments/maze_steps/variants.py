"""Inputs of several mazes each, some of which have no way; a letter may stand once, twice or more often."""

import random

EDGES = [
    ["Sa#.aE"],
    ["S#E"],
    ["SE"],
    ["S.E"],
    ["E", ".", "S"],
    ["Sa#aE"],
    ["Sa.aE"],
    ["S.#", "##E"],
    ["Sab#", "##b#", "E##a"],
    ["a#a", "S#E"],
    ["Sa##", "####", "#a.E", "##a#"],
    ["S..", "###", "z.E", "z##"],
]


def make_maze(rng):
    height, width = rng.randint(2, 8), rng.randint(2, 8)
    density = rng.choice([0.15, 0.3, 0.45])
    fields = ["#" if rng.random() < density else "." for _ in range(height * width)]
    letters = rng.choice(["", "a", "ab", "aabb", "xxyyyz"])
    places = rng.sample(range(height * width), min(len(letters), height * width - 2) + 2)
    for place, field in zip(places, "SE" + letters):
        fields[place] = field
    return ["".join(fields[row * width : (row + 1) * width]) for row in range(height)]


def as_input(mazes):
    return "".join(
        [f"{len(mazes)}\n", *(f"{len(rows)} {len(rows[0])}\n" + "\n".join(rows) + "\n" for rows in mazes)]
    )


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [((), as_input(EDGES)), ((), "0\n")])]
    for number in range(10):
        mazes = [make_maze(rng) for _ in range(rng.randint(8, 14))]
        cases.append((f"random_{number}", ((), as_input([*mazes, rng.choice(EDGES)]))))
    wide = ["S" + "." * 198 + "a"] + ["#" * 199 + "."] * 20 + ["a" + "." * 198 + "E"]
    cases.append(("wide", ((), as_input([wide]))))
    return cases
