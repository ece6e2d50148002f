"""Sound and malformed expressions and divisions by zero together in every case."""

import random

EDGES = [
    ("numbers", ["0", "42", "007", " 5 ", "", " ", "12 34", "1_0", "1.5", "0x10", "٣", "1e3", "5\n", "\t5"]),
    (
        "signs",
        [
            "-5",
            "--5",
            "- -5",
            "2--3",
            "2---3",
            "+5",
            "2+-3",
            "2-+3",
            "-",
            "5-",
            "-(2)",
            "2*-3",
            "-7/2",
            "7/-2",
            "-0",
        ],
    ),
    ("ranks", ["2+3*4", "2*3+4", "8-3-2", "8/3/2", "8/3*2", "2*7/3", "1-2*3/4+5", "2-3+4", "9-8/3", "-2*-3"]),
    (
        "brackets",
        [
            "(1)",
            "((1))",
            "()",
            "(1",
            "1)",
            ")(",
            "(1)(2)",
            "2(3)",
            "(2)3",
            "2*(3+4)",
            "(2+3)*4",
            "8/(3/2)",
            "8-(3-2)",
        ],
    ),
    (
        "operators",
        [
            "2**3",
            "2//3",
            "* 2",
            "2 *",
            "2 + * 3",
            "2 % 3",
            "2,3",
            "(2,)",
            "2 < 3",
            "a",
            "2 + b",
            "**",
            "~2",
            "2*4/2",
            "not 1",
        ],
    ),
    ("zero", ["1/0", "1/(2-2)", "0/5", "1/0 +", "(1/0", "1/0*0", "5/0 3", "1/-0", "-1/2", "3-4/5"]),
]


def sound(rng, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.2:
        return str(rng.choice([0, 1, 2, 3, 7, 12, rng.randrange(10**6)]))
    if kind < 0.35:
        return "-" + rng.choice([sound(rng, 0), f"({sound(rng, depth - 1)})"])
    if kind < 0.5:
        return f"({sound(rng, depth - 1)})"
    space = rng.choice(["", " "])
    return sound(rng, depth - 1) + space + rng.choice("+-*/+-*") + space + sound(rng, depth - 1)


def make_cases(seed):
    rng = random.Random(seed)
    cases = [(name, [(text,) for text in texts]) for name, texts in EDGES]
    for number in range(12):
        texts = [sound(rng, rng.randint(2, 5)) for _ in range(14)]
        for text in texts[:8]:
            at = rng.randrange(len(text))
            texts.append(text[:at] + rng.choice(["", *"+-*/() 1"]) + text[at + rng.randint(0, 1) :])
        cases.append((f"random_{number}", [(text,) for text in texts] + [("(9",), ("9*9-1",)]))
    return cases
