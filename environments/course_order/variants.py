"""Every case holds plans that can be met and plans that cannot, so that giving up earns nothing."""

import random

EDGES = [
    ([], []),
    (["art"], []),
    (["art"], [["art", "art"]]),
    (["b", "a"], [["a", "b"]]),
    (["b", "a"], [["a", "b"], ["a", "b"]]),
    (["a", "b"], [["a", "b"], ["b", "a"]]),
    (["a", "b", "c", "d"], [["a", "b"], ["b", "c"], ["c", "b"]]),
    (["d", "c", "b", "a"], [["a", "b"], ["a", "c"], ["b", "d"], ["c", "d"]]),
]


def make_plan(rng, size, density):
    courses = [f"course {number}" for number in rng.sample(range(10 * size), size)]
    hidden = rng.sample(courses, size)
    needs = [[hidden[i], hidden[j]] for j in range(size) for i in range(j) if rng.random() < density]
    rng.shuffle(needs)
    return courses, [[hidden[-2], hidden[-1]], *needs]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", EDGES)]
    for number in range(12):
        good = [make_plan(rng, rng.randint(4, 12), rng.choice([0.2, 0.4, 0.7])) for _ in range(3)]
        courses, needs = make_plan(rng, 8, 0.3)
        cases.append((f"random_{number}", [*good, (courses, [*needs, needs[0][::-1]])]))
    chain = [f"c{number}" for number in range(1_000)]
    needs = [[after, before] for before, after in zip(chain, chain[1:])]
    cases.append(("chain", [(chain, needs), (chain, [*needs, ["c0", "c500"]])]))
    return cases
