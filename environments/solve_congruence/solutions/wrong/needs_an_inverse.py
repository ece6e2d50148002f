from math import gcd


def solve_congruence(a, b, modulus):
    if gcd(a, modulus) != 1:
        return None
    return pow(a, -1, modulus) * b % modulus
