"""Scripts of calls: a fixed one, then random ones among few people, so that circles meet in every order."""

import random

FIXED = [
    ("count",),
    ("together", "a", "a"),
    ("circle", "a"),
    ("count",),
    ("meet", "a", "a"),
    ("together", "a", "a"),
    ("together", "a", "b"),
    ("together", "b", "a"),
    ("circle", "a"),
    ("meet", "b", "a"),
    ("meet", "a", "b"),
    ("meet", "c", "d"),
    ("count",),
    ("together", "a", "c"),
    ("meet", "d", "b"),
    ("together", "a", "c"),
    ("circle", "c"),
    ("meet", "a", "c"),
    ("count",),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("fixed", (), FIXED)]
    for number in range(14):
        people = [f"p{i}" for i in rng.sample(range(100), rng.randint(4, 12))]
        calls = [("meet", people[0], people[1]), ("circle", people[1])]
        for _ in range(50):
            kind = rng.choice(["meet", "meet", "together", "together", "circle", "count"])
            people_meant = {"meet": 2, "together": 2, "circle": 1, "count": 0}[kind]
            calls.append((kind, *(rng.choice(people) for _ in range(people_meant))))
        cases.append((f"random_{number}", (), calls))
    many = [("meet", f"m{rng.randrange(400)}", f"m{rng.randrange(400)}") for _ in range(500)]
    cases.append(("many", (), [*many, ("count",), ("circle", "m7")]))
    return cases
