"""Searches without a pair are one case together; the others have several pairs to choose from."""

import random

NO_PAIR = [([], 0), ([4], 8), ([1, 2, 4], 8), ([0], 0), ([5, 5, 5], 11), ([-1, 2], 0)]
EDGES = [
    ([4, 1, 4, 7, 2], 8),
    ([0, 0], 0),
    ([3, 5, 5, 3], 8),
    ([3, 3, 5, 5], 8),
    ([-2, 9, 2, 0, 0], 0),
    ([1, 2, 3, 4], 5),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("no_pair", NO_PAIR)] + [(f"edge_{number}", args) for number, args in enumerate(EDGES)]
    for number in range(16):
        reach = rng.choice([3, 8, 40])
        values = [rng.randint(-reach, reach) for _ in range(rng.randint(3, 30))]
        i, j = rng.sample(range(len(values)), 2)
        cases.append((f"random_{number}", (values, values[i] + values[j])))
    odd = [2 * rng.randrange(10**9) + 1 for _ in range(3_000)]
    cases.append(("long", ([*odd, 2_000_000_002 - rng.choice(odd)], 2_000_000_002)))
    return cases
