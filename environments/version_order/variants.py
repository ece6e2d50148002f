"""Lists of versions that agree in most of their parts, so that the last rules decide; ties come from builds."""

import random

EDGES = [
    [],
    ["1.0.0"],
    ["1.10.0", "1.9.0"],
    ["1.0.0", "1.0.0-a"],
    ["1.0.0-rc.10", "1.0.0-rc.9"],
    ["1.0.0-x", "1.0.0-9"],
    ["1.0.0-a.b", "1.0.0-a"],
    ["1.0.0+b", "1.0.0+a", "1.0.0"],
    ["1.0.0-a+2", "1.0.0-a+1"],
    ["1.0.0-a-b", "1.0.0-a.b", "1.0.0-a"],
    ["1.0.0", "1.0.0-rc.1", "1.0.0-rc.1.1", "0.9.12", "1.0.0-beta"],
]
PARTS = ["1", "2", "10", "a", "b", "rc", "a1", "1a", "A", "x-y", "0"]


def make_version(rng, releases):
    version = rng.choice(releases)
    if rng.random() < 0.7:
        version += "-" + ".".join(rng.choice(PARTS) for _ in range(rng.randint(1, 3)))
    if rng.random() < 0.3:
        version += "+" + rng.choice(["linux", "7", "a.b", "x-1"])
    return version


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [(versions,) for versions in EDGES])]
    for number in range(14):
        releases = [".".join(str(rng.choice([0, 1, 2, 9, 10, 100])) for _ in range(3)) for _ in range(3)]
        versions = [make_version(rng, releases) for _ in range(rng.randint(12, 40))]
        cases.append((f"random_{number}", (versions,)))
    return cases
