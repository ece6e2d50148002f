"""Command lines that are sound and not, over logs in which entries go on over several lines."""

import random

LOG = "lost line\nINFO starting\nERROR no disk\n  at line 5\nWARN  low INFO\nDEBUG\nERRORS many\nDEBUG bye\n\ninfo small\nERROR \n"
LEVELS = ["DEBUG", "INFO", "WARN", "ERROR"]
KEPT = [
    (),
    ("--level", "WARN"),
    ("--level", "ERROR"),
    ("--contains", "s"),
    ("--contains", "INFO"),
    ("--count",),
    ("--contains", ""),
]
MORE = [
    ("--count", "--level", "INFO", "--contains", "i"),
    ("--contains", "--count"),
    ("--level", "DEBUG", "--contains", "line 5"),
]
REFUSED = [
    ("--level",),
    ("--level", "warn"),
    ("--level", "FATAL"),
    ("--contains",),
    ("--count", "--count"),
    ("--level", "INFO", "--level", "INFO"),
    ("--contains", "a", "--contains", "a"),
    ("--cou",),
    ("--level=INFO",),
    ("file.log",),
    ("--count", "x"),
    ("--file", "x"),
    ("x", "--count"),
    ("-h",),
    ("--level", "INFO"),
]
NOTHING = [
    ((), ""),
    ((), "no entry\n"),
    (("--count",), "x\n"),
    (("--contains", "zz"), LOG),
    (("--count", "--contains", "zz"), LOG),
]


def random_log(rng):
    lines = []
    for _ in range(rng.randint(8, 30)):
        if rng.random() < 0.7:
            lines.append(
                f"{rng.choice(LEVELS)} {rng.choice(['disk', 'net', 'Disk full', 'a net of disks'])} {rng.randint(0, 9)}"
            )
        else:
            lines.append(rng.choice(["  at disk 3", "", "WARNING net", "see ERROR 5", "WARN"]))
    return "ERROR first disk\n" + "\n".join(lines) + "\n"


def make_cases(seed):
    rng = random.Random(seed)
    cases = [
        ("options", [(args, LOG) for args in KEPT + MORE]),
        ("refused", [(args, LOG) for args in REFUSED]),
    ]
    cases.append(("nothing_kept", [*NOTHING, ((), "ERROR one\n")]))
    for number in range(8):
        runs = []
        for _ in range(3):
            groups = [
                ("--level", rng.choice(LEVELS)),
                ("--contains", rng.choice(["disk", "net", "5"])),
                ("--count",),
            ]
            chosen = rng.sample(groups, rng.randint(0, 3))
            runs.append((tuple(word for group in chosen for word in group), random_log(rng)))
        cases.append((f"random_{number}", runs))
    return cases
