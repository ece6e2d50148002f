"""Calls that the project as it is gets wrong stand in every case beside calls that it gets right."""

import random


def make_count_cases(seed):
    rng = random.Random(seed)
    edges = [(0, 1), (0, 5), (1, 1), (1, 5), (4, 5), (5, 5), (6, 5), (10, 5), (11, 5)]
    cases = [("count_edges", edges)]
    for number in range(3):
        cases.append(
            (f"count_{number}", [(rng.randint(0, 60), rng.randint(1, 9)) for _ in range(12)] + [(7, 3)])
        )
    return cases


def make_page_cases(seed):
    rng = random.Random(seed + 1)
    seven = [10, 20, 30, 40, 50, 60, 70]
    cases = [("page_edges", [(seven, number, size) for number in range(-2, 5) for size in (1, 3, 7, 8)])]
    cases.append(("no_items", [([], number, 3) for number in (-1, 0, 1, 2)] + [([5], 0, 1), ([5], 2, 4)]))
    for number in range(4):
        calls = []
        for _ in range(10):
            items = [rng.randint(0, 99) for _ in range(rng.randint(1, 30))]
            calls.append((items, rng.randint(-1, 12), rng.randint(1, 6)))
        cases.append((f"page_{number}", [*calls, (seven, 3, 3), (seven, 0, 2)]))
    return cases


def make_window_cases(seed):
    rng = random.Random(seed + 2)
    cases = [
        (f"window_of_{width}", [(at, count, width) for count in (1, 4, 5, 9) for at in range(1, count + 1)])
        for width in (1, 2, 3, 4, 5)
    ]
    for number in range(4):
        calls = []
        for _ in range(12):
            count = rng.randint(1, 40)
            calls.append((rng.randint(1, count), count, rng.randint(1, 12)))
        cases.append((f"window_{number}", [*calls, (9, 9, 4), (1, 9, 4)]))
    return cases
