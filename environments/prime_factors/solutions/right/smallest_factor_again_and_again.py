from collections import Counter
from math import isqrt


def smallest_factor(number):
    for divisor in (2, 3):
        if number % divisor == 0:
            return divisor
    for divisor in range(5, isqrt(number) + 1, 6):
        if number % divisor == 0:
            return divisor
        if number % (divisor + 2) == 0:
            return divisor + 2
    return number


def prime_factors(number):
    powers = Counter()
    while number > 1:
        factor = smallest_factor(number)
        powers[factor] += 1
        number //= factor
    return [[prime, powers[prime]] for prime in sorted(powers)]
