"""Command lines of many arguments: numbers, Roman numbers, and words that are close to either."""

import random

EDGES = [
    (),
    ("1994", "mmxxiv", "IIII"),
    ("1", "3999", "I", "MMMCMXCIX"),
    ("0", "4000", "MMMM", "10000"),
    ("", " ", "-1", "1.5", "+3", "1e3"),
    ("007", "0000", "00003999", "09"),
    ("Iv", "xX", "mCm", "iX "),
    (
        "IC",
        "IM",
        "VX",
        "LC",
        "DM",
        "XM",
        "VV",
        "LL",
        "DD",
        "IIV",
        "XXC",
        "IVI",
        "IXI",
        "XCX",
        "CMC",
        "CDC",
        "VIV",
        "IVIV",
    ),
    ("A", "I1", "1I", "J", "٣", "Ⅳ", "X"),
    ("4", "9", "40", "90", "400", "900", "44", "99", "444", "999"),
    ("IV", "IX", "XL", "XC", "CD", "CM", "XLIV", "XCIX", "CDXLIV", "CMXCIX"),
    ("XIX",),
    ("ı", "ſ", "Kk"),
]
SIGNS = "IVXLCDM"


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [(args, "") for args in EDGES])]
    every = list(range(1, 4000))
    rng.shuffle(every)
    for number in range(6):
        cases.append((f"to_roman_{number}", (tuple(map(str, every[number * 60 : number * 60 + 60])), "")))
    for number in range(6):
        words = [
            "".join(rng.choice(SIGNS + SIGNS.lower()) for _ in range(rng.randint(1, 5))) for _ in range(120)
        ]
        # Thousands, hundreds, tens and ones, each perhaps a wrong one.
        for _ in range(60):
            parts = (
                ["", "M", "MM"],
                ["", "CD", "DC", "CM", "CCC"],
                ["", "XL", "LX", "XC", "XXX"],
                ["", "IV", "VI", "IX", "III"],
            )
            words.append("".join(rng.choice(part) for part in parts) or "X")
        cases.append((f"from_roman_{number}", (tuple(words), "")))
    return cases
