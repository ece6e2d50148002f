def solve_congruence(a, b, modulus):
    # Euclid's algorithm, which keeps r = a * s (mod modulus) and old = a * t (mod modulus).
    old, r = modulus, a % modulus
    t, s = 0, 1
    while r:
        quotient = old // r
        old, r = r, old - quotient * r
        t, s = s, t - quotient * s
    if b % old:
        return None
    return t * (b // old) % (modulus // old)
