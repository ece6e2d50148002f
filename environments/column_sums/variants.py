"""Tables with empty cells, negative numbers, texts that look like numbers, and lines to be passed over."""

import random

EDGES = [
    "item; pieces; price\nnails; 40; -3\nglue;; 12\n",
    "a\n",
    "a;b",
    "a;b\n;\n",
    "a\n1_000\n",
    "a;b\n+5;5\n",
    "a;b;c\n5-;--5;-\n",
    "a;b\n1.0;٣\n",
    "  x  ;y\n\n  \n 7 ; 8 \n\n1;2",
    "a\n123456789012345678901234567890\n1\n",
    "a;a\n1;x\n2;3\n",
    "n;t\n007;-0\n",
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [((), text) for text in EDGES])]
    for number in range(10):
        columns = rng.randint(2, 6)
        lines = [";".join(f"c{at}{rng.choice(['', ' '])}" for at in range(columns))]
        texts = [rng.random() < 0.3 for _ in range(columns)]
        for _ in range(rng.randint(2, 15)):
            cells = []
            for is_text in texts:
                cell = str(rng.choice([rng.randint(-99, 99), 10**20, ""]))
                if is_text and rng.random() < 0.5:
                    cell = rng.choice(["x", "1 2", "1e3", "+1", "4."])
                cells.append(rng.choice(["", " "]) + cell)
            lines += [";".join(cells)] + [""] * rng.choice([0, 0, 0, 1])
        cases.append((f"random_{number}", ((), "\n".join(lines) + rng.choice(["", "\n", "\n\n"]))))
    return cases
