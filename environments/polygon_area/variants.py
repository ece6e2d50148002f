"""Flat and empty polygons stand together; random ones are stars around a centre, often a far one."""

import math
import random

FLAT = [
    ([],),
    ([[1, 2]],),
    ([[1, 2], [3, 4]],),
    ([[0, 0], [1, 1], [2, 2]],),
    ([[5, 5], [5, 5], [5, 5]],),
    ([[0, 0], [0, 2], [2, 0]],),
]
EDGES = [
    [[0, 0], [4, 0], [4, 3]],
    [[0, 0], [4, 3], [4, 0]],
    [[0, 0], [1, 0], [1, 1], [0, 1]],
    [[0, 0], [2, 0], [2, 2], [1, 1], [0, 2]],
    [[-1.5, 0], [0, -2.5], [1.5, 0], [0, 2.5]],
    [[10**9, 10**9], [10**9 + 1, 10**9], [10**9, 10**9 + 1]],
]


def star(rng, corners):
    centre = rng.choice([(0.0, 0.0), (3.5, -2.0), (1e6, 1e6), (-9e8, 9e8)])
    size = rng.choice([1.0, 40.0, 1000.0])
    angles = sorted(rng.uniform(0, 2 * math.pi) for _ in range(corners))
    points = []
    for angle in angles:
        reach = size * rng.uniform(0.2, 1.0)
        # Multiples of 1/1024 are exact at any of these distances.
        x, y = (round((c + reach * f(angle)) * 1024) / 1024 for c, f in zip(centre, (math.cos, math.sin)))
        points.append([x, y])
    return points if rng.random() < 0.5 else points[::-1]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("flat", FLAT)] + [(f"edge_{number}", (points,)) for number, points in enumerate(EDGES)]
    for number in range(14):
        cases.append((f"random_{number}", [(star(rng, rng.randint(3, 30)),) for _ in range(3)]))
    return cases
