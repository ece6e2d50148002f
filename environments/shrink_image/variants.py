"""Images of odd and even size, with comments, and numbers spread over lines in odd ways."""

import random

EDGES = [
    "P2 3 2 255  10 20 30  40 51 60",
    "P2 1 1 9\n7\n",
    "P2\n# made by hand\n2 1 # wide\n15\n3 4",
    "P2 1 3 255 1 2 4\n",
    "P2 2 2 3 #3\n3 3\n#9 9\n3 2\n",
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [{"image.pgm": text} for text in EDGES])]
    for number in range(9):
        width, height = rng.randint(2, 9), rng.randint(2, 9)
        largest = rng.choice([9, 255, 65_535])
        text = rng.choice(["P2 ", "P2\n", "P2\n# 1 2 3\n"]) + f"{width} {height}\n{largest}\n"
        for _ in range(width * height):
            text += str(rng.randint(0, largest)) + rng.choice([" ", " ", "  ", "\n", "\t", " # 7\n"])
        cases.append((f"random_{number}", {"image.pgm": text}))
    return cases
