"""Good and bad durations mixed in every case, many of them one character apart."""

import random

EDGES = [
    (
        "good",
        [
            "1h30m",
            "2d5s",
            "0s",
            "0d0h0m0s",
            "90m",
            "1d1h1m1s",
            "10d",
            "5s",
            "1h1s",
            "100000000d",
            "0h5s",
            "m",
            "7m8s",
        ],
    ),
    (
        "bad",
        [
            "",
            "90",
            "m5",
            "5m1h",
            "1h1h",
            "01h",
            "00s",
            "1.5h",
            "-1h",
            "1 h",
            "1H",
            " 1h",
            "1h ",
            "1h\n",
            "+1h",
            "3d",
        ],
    ),
    (
        "close",
        [
            "h",
            "1",
            "1hm",
            "1h2",
            "1s2s",
            "1s1m",
            "1m1d",
            "1x",
            "1h,2m",
            "١h",
            "1_0s",
            "0x1s",
            "²s",
            "4h05m",
            "4h50m",
        ],
    ),
]


def good(rng):
    while True:
        units = [unit for unit in "dhms" if rng.random() < 0.5]
        if units:
            return "".join(
                f"{rng.choice([0, rng.randint(1, 99), 10 * rng.randint(1, 20)])}{unit}" for unit in units
            )


def make_cases(seed):
    rng = random.Random(seed)
    cases = [(name, [(text,) for text in texts]) for name, texts in EDGES]
    for number in range(10):
        texts = [good(rng) for _ in range(12)]
        for text in texts[:8]:
            at = rng.randrange(len(text))
            texts.append(text[:at] + rng.choice(["", *"0d1hms "]) + text[at + rng.randint(0, 1) :])
        cases.append((f"random_{number}", [(text,) for text in texts] + [("h1",), ("1d2h3m4s",)]))
    return cases
