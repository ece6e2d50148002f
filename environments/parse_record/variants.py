"""Lines over an alphabet of commas and quotes, so that sound and malformed ones come up in every case."""

import random

EDGES = [
    ("plain", ["", ",", "a", "a,b", "a,,b", " a , b ", "a,", ",a", "a\nb,c", "é,ü", "a\rb", "1,2,3"]),
    (
        "quoted",
        ['""', '"a"', '"a,b"', '"a""b"', '""""', '"""",', '"a\nb"', '"",""', '"," ', ',""', '"a",b,"c"'],
    ),
    (
        "malformed",
        [
            '"',
            '"a',
            'a"',
            'a"b',
            '"a"b',
            ' "a"',
            '"a" ',
            '"""',
            '"a""',
            '"a"",b',
            'a,"',
            '"a","b',
            "a",
            '""a',
        ],
    ),
]


def field(rng):
    if rng.random() < 0.5:
        return "".join(rng.choice("ab \n;") for _ in range(rng.randint(0, 4)))
    return '"' + "".join(rng.choice(["a", ",", '""', "\n"]) for _ in range(rng.randint(0, 5))) + '"'


def make_cases(seed):
    rng = random.Random(seed)
    cases = [(name, [(line,) for line in lines]) for name, lines in EDGES]
    for number in range(10):
        lines = [",".join(field(rng) for _ in range(rng.randint(1, 6))) for _ in range(10)]
        lines += ["".join(rng.choice('",a"') for _ in range(rng.randint(1, 8))) for _ in range(20)]
        cases.append((f"random_{number}", [(line,) for line in lines] + [('x"',), ('"x",y',)]))
    cases.append(("long", [(",".join(field(rng) for _ in range(2_000)),), ('"' + 'a""' * 3_000,)]))
    return cases
