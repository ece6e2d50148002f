def find_root(coefficients, low, high):
    def f(x):
        return sum(c * x**power for power, c in enumerate(reversed(coefficients)))

    sign = f(low) > 0
    while True:
        middle = (low + high) / 2
        if abs(f(middle)) < 1e-4 or high - low < 1e-9:
            return middle
        if (f(middle) > 0) == sign:
            low = middle
        else:
            high = middle
