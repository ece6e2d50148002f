"""Logs whose days come mixed, with lines that only look like a day or like an error."""

import random

ODD = [
    "  continued",
    "2024-05-01 no T",
    "24-05-01T1:00 x",
    "x2024-05-01T1:00",
    "2024-5-01T1:00",
    "",
    "٢٠٢٤-05-01T1:00",
    "2024-05-01",
]
MESSAGES = [
    "ERROR disk",
    "no ERROR",
    "ERRORS",
    "an ERROR!",
    "all\tERROR\tfine",
    "error small",
    "é ok",
    "SUB-ERROR",
    "ERROR",
]
EDGES = [
    "",
    "\n",
    "2024-01-01T\n",
    "2024-01-02Tb ERROR\n2024-01-01Ta\n2024-01-02Tc\n",
    "9999-99-99T ERROR ERROR\n",
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [{"app.log": text} for text in EDGES])]
    for number in range(8):
        days = [f"20{rng.randint(10, 30)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}" for _ in range(4)]
        lines = []
        for _ in range(rng.randint(10, 60)):
            stamped = f"{rng.choice(days)}T{rng.randint(0, 23):02}:00 {rng.choice(MESSAGES)}"
            lines.append(stamped if rng.random() < 0.8 else rng.choice(ODD))
        cases.append((f"random_{number}", {"app.log": "".join(f"{line}\n" for line in lines)}))
    return cases
