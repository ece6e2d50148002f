"""Small numbers together, then squares, cubes, prime powers and products of large primes."""

import random

PRIMES = [2, 3, 5, 7, 11, 13, 17, 97, 101, 499, 9973, 65_537, 99_991]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("one_to_thirty", [(number,) for number in range(1, 31)])]
    powers = [(prime**power,) for prime in PRIMES for power in (1, 2, 3) if prime**power <= 10**10]
    cases.append(("powers", powers))
    cases.append(("large", [(99_991 * 99_989,), (9_999_999_967,), (2**33,), (10**10,), (65_537 * 99_991,)]))
    for number in range(12):
        numbers = [rng.randrange(2, 10 ** rng.randint(2, 9)) for _ in range(12)]
        for _ in range(6):
            product = 1
            while product < 10**7:
                product *= rng.choice(PRIMES[:8]) ** rng.randint(1, 3)
            numbers.append(product)
        cases.append((f"random_{number}", [(number,) for number in numbers]))
    return cases
