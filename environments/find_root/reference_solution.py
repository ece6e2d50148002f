def find_root(coefficients, low, high):
    low_is_positive = value(coefficients, low) > 0
    while high - low > 1e-9:
        middle = (low + high) / 2
        if (value(coefficients, middle) > 0) == low_is_positive:
            low = middle
        else:
            high = middle
    return low


def value(coefficients, x):
    total = 0.0
    for coefficient in coefficients:
        total = total * x + coefficient
    return total
