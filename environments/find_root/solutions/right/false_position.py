def find_root(coefficients, low, high):
    def f(x):
        total = 0.0
        for coefficient in coefficients:
            total = x * total + coefficient
        return total

    below, above = f(low), f(high)
    for step in range(400):
        # Every other step halves the interval, so that a flat polynomial does not hold it up.
        x = (low + high) / 2 if step % 2 else low - below * (high - low) / (above - below)
        x = min(max(x, low), high)
        here = f(x)
        if here == 0:
            return x
        if (here > 0) == (below > 0):
            low, below = x, here
        else:
            high, above = x, here
    return (low + high) / 2
