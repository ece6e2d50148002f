"""Each case asks about many pairs of one company, related in every way, so that no single answer fits."""

import random

SMALL = {"ann": None, "bob": "ann", "cy": "ann", "dee": "cy", "zoe": None}
EDGES = [
    ("bob", "dee"),
    ("dee", "cy"),
    ("cy", "dee"),
    ("bob", "bob"),
    ("bob", "zoe"),
    ("ann", "dee"),
    ("zoe", "zoe"),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("small", [(SMALL, first, second) for first, second in EDGES])]
    for number in range(12):
        people = [f"p{i}" for i in rng.sample(range(1_000), rng.randint(6, 40))]
        boss_of = {people[0]: None, people[1]: None}
        for at in range(2, len(people)):
            boss_of[people[at]] = rng.choice(people[max(0, at - rng.choice([2, 8])) : at])
        pairs = [(rng.choice(people), rng.choice(people)) for _ in range(10)]
        cases.append(
            (f"random_{number}", [(boss_of, *pair) for pair in pairs] + [(boss_of, people[5], people[5])])
        )
    chain = {f"c{at}": f"c{at - 1}" if at else None for at in range(2_000)}
    cases.append(("chain", [(chain, "c1999", "c1000"), (chain, "c0", "c1999")]))
    return cases
