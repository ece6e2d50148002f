def find_root(coefficients, low, high):
    x = (low + high) / 2
    for _ in range(200):
        value = slope = 0.0
        for coefficient in coefficients:
            slope = slope * x + value
            value = value * x + coefficient
        if not slope:
            break
        x -= value / slope
    return x
