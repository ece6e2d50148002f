from math import gcd


def solve_congruence(a, b, modulus):
    divisor = gcd(a, modulus)
    if b % divisor:
        return None
    small = modulus // divisor
    x = pow(a // divisor, -1, small) * (b // divisor) % small if small > 1 else 0
    return (x + small * (divisor - 1)) % modulus
