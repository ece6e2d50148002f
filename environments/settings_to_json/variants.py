"""Files for every rule, then random ones over lines that are odd in one way or another."""

import random

EDGES = [
    "a = 1\n[x]\nb=2\n[y]\n[x]\nc = 3\nb = 4\n",
    "[s]\nt = true\nf = false\nT = True\nn = -7\nz = 007\ne =\nw = two words\nd = 1.5\nm = --3\np = +3\n",
    "# a = 1\n; b\n[ s ]\n  k  =  v = w  \n= empty key\n",
    "[s]\nfine = 1\nnot fine\nalso not\n",
    "[]\n[ ]\n[only]\n",
    "[]\na = 1\n",
    "[s\n",
    "[a = 1]\n[b] = 2\n[c]d]\n",
    "[s]\nk = v # no comment\nk2 = ; none\nü = ß\n",
    "\n\n   \nx",
    "[s]\nn = ٣\n",
    "k = [x]\n[s] x\n",
]
LINES = [
    "[a]",
    "[b]",
    "[ a ]",
    "k = 1",
    "k = true",
    "j=",
    "j = x=y",
    "# c",
    "",
    "l = -20",
    "m = 2 3",
    "k=again",
    "  [b]  ",
    "[a] = 5",
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [
        ("edges", [{"settings.ini": text} for text in EDGES[:6]]),
        ("more", [{"settings.ini": text} for text in EDGES[6:]]),
    ]
    for number in range(9):
        lines = ["[first]", f"n = {rng.randint(0, 999)}"] + [
            rng.choice(LINES) for _ in range(rng.randint(5, 25))
        ]
        if rng.random() < 0.3:
            lines.insert(rng.randrange(len(lines)), rng.choice(["[a", "just words", "]", "a : b"]))
        cases.append((f"random_{number}", {"settings.ini": "\n".join(lines) + rng.choice(["", "\n"])}))
    return cases
