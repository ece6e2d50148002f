from fractions import Fraction


def moving_average(values, reach):
    # Exact sums: what is added and later taken away again leaves no trace.
    sums = [Fraction(0)]
    for value in values:
        sums.append(sums[-1] + Fraction(value))
    means = []
    for at in range(len(values)):
        start = max(at - reach, 0)
        end = min(at + reach + 1, len(values))
        means.append(float((sums[end] - sums[start]) / (end - start)))
    return means
