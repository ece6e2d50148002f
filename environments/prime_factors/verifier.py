"""Compares with an oracle that divides by the primes of a sieve."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases

LIMIT = 100_003


def sieve(limit):
    is_prime = bytearray([1]) * limit
    is_prime[:2] = b"\0\0"
    for number in range(2, int(limit**0.5) + 1):
        if is_prime[number]:
            is_prime[number * number :: number] = bytes(len(range(number * number, limit, number)))
    return [number for number in range(limit) if is_prime[number]]


def make_oracle():
    primes = sieve(LIMIT)

    def oracle(number):
        factors = []
        for prime in primes:
            if prime > number:
                break
            power = 0
            while number % prime == 0:
                number, power = number // prime, power + 1
            if power:
                factors.append([prime, power])
        # What is left has no factor up to the square root of the largest number.
        return factors + ([[number, 1]] if number > 1 else [])

    return oracle


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "prime_factors", make_cases(seed), make_oracle()), seed)
