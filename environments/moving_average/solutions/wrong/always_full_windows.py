import math


def moving_average(values, reach):
    padded = [0.0] * reach + list(values) + [0.0] * reach
    return [math.fsum(padded[at : at + 2 * reach + 1]) / (2 * reach + 1) for at in range(len(values))]
