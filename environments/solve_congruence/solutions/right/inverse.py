from math import gcd


def solve_congruence(a, b, modulus):
    divisor = gcd(a, modulus)
    if b % divisor:
        return None
    a, b, modulus = a // divisor, b // divisor, modulus // divisor
    return pow(a, -1, modulus) * b % modulus
