import math


def moving_average(values, reach):
    result = []
    for at in range(len(values)):
        window = values[max(0, at - reach) : at + reach + 1]
        result.append(math.fsum(window) / len(window))
    return result
