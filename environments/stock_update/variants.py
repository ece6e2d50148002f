"""Stocks that run out, articles that are new, and moves of just what is there, or one more."""

import random

EDGES = [
    ("", ""),
    ("a 0\n", "- a 0\n- b 0\n+ c 0\n"),
    ("a 2\n", "- a 2\n- a 1\n+ a 1\n"),
    ("a 2\n", "- a 3\n- a 2\n"),
    ("b 1\nB 1\nä 1\na-b 1\na 1\n", ""),
    ("x 5\n", "+ y 7\n- x 4\n- y 8\n- y 7\n"),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [{"stock.txt": stock, "moves.txt": moves} for stock, moves in EDGES])]
    for number in range(9):
        articles = rng.sample(["nail", "Nail", "bolt", "b9", "b10", "glue", "é", "tape"], 6)
        stock = "".join(f"{article} {rng.randint(0, 9)}\n" for article in articles[:4])
        moves = [
            f"{rng.choice('+--')} {rng.choice(articles)} {rng.randint(0, 6)}\n"
            for _ in range(rng.randint(8, 40))
        ]
        moves.append(f"+ {articles[0]} {rng.randint(1, 9)}\n")
        cases.append((f"random_{number}", {"stock.txt": stock, "moves.txt": "".join(moves)}))
    return cases
