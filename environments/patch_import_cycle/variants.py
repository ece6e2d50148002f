"""Amounts around one, texts that were written and texts that only look so."""

import random

UNITS = ["metre", "centimetre", "millimetre"]
ODD = [
    "1 metres",
    "3 metre",
    "0 metre",
    "03 metres",
    "+3 metres",
    "-3 metres",
    "3  metres",
    " 3 metres",
    "3 metres ",
    "3",
    "metres",
    "",
    "3 miles",
    "3.0 metres",
    "x metres",
    "3 Metres",
    "٣ metres",
    "1_0 metres",
    "3 metres metres",
    "01 metre",
]


def make_unit_cases(seed):
    rng = random.Random(seed)
    return [(f"units_{number}", [(rng.randint(0, 999), unit) for unit in UNITS]) for number in range(2)]


def make_write_cases(seed):
    rng = random.Random(seed + 1)
    edges = [(amount, unit) for unit in UNITS for amount in (0, 1, 2)]
    return [("write_edges", edges), ("write", [(rng.randint(2, 10**6), rng.choice(UNITS)) for _ in range(8)])]


def make_read_cases(seed):
    rng = random.Random(seed + 2)
    good = ["0 metres", "1 metre", "2 metres", "1 centimetre", "10 millimetres", "11 centimetres"]
    cases = [("read_edges", [(text,) for text in [*good, *ODD]])]
    for number in range(6):
        texts = [
            f"{rng.choice(['', '', '0', '-'])}{rng.randint(0, 30)} {rng.choice(UNITS)}{rng.choice(['', 's'])}"
            for _ in range(20)
        ]
        cases.append((f"read_{number}", [(text,) for text in [*texts, rng.choice(ODD), rng.choice(good)]]))
    return cases


def make_largest_cases(seed):
    rng = random.Random(seed + 3)
    amounts = [0, 1, 9, 10, 11, 999, 1000, 1010, 2000, *(rng.randrange(10**5) for _ in range(10))]
    return [("largest", [(amount,) for amount in amounts])]
