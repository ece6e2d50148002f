"""Polynomials made from known roots, flat, steep, rising and falling; several for each case."""

import random

EDGES = [
    ([1, 0, -2], 0.0, 2.0),
    ([-1, 0, 2], 0.0, 2.0),
    ([3, 1], -1.0, 0.0),
    ([1, 0, 0, 0, 0, -1e-20], 0.0, 3.0),
    ([1e9, -1e9 / 3], 0.0, 1.0),
    ([1, 0, -25, 0, 144, 0], 2.5, 3.5),
    ([1, 0, -2, 2], -3.0, 3.0),
    ([1, 0, -9, 0], -5.0, 4.0),
    ([1e-6, 0, -4e-6], -5.0, 0.5),
]


def multiply(left, right):
    product = [0.0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            product[i + j] += a * b
    return product


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", EDGES)]
    for number in range(14):
        calls = []
        for _ in range(4):
            root = rng.uniform(-9, 9)
            coefficients = [rng.choice([-1, 1]) * rng.choice([1e-5, 1.0, 1e6])]
            for factor in ([1.0, -root], [1.0, rng.uniform(-3, 3), rng.uniform(3, 9)]):
                coefficients = multiply(coefficients, factor)
            calls.append((coefficients, root - rng.uniform(0.5, 9), root + rng.uniform(0.5, 9)))
        cases.append((f"random_{number}", calls))
    return cases
