def prime_factors(number):
    factors = []
    divisor = 2
    while divisor * divisor <= number:
        power = 0
        while number % divisor == 0:
            number //= divisor
            power += 1
        if power:
            factors.append([divisor, power])
        divisor += 1 if divisor == 2 else 2
    if number > 1:
        factors.append([number, 1])
    return factors
