def moving_average(values, reach):
    result, total = [], sum(map(float, values[:reach]))
    for at in range(len(values)):
        if at + reach < len(values):
            total += values[at + reach]
        if at - reach - 1 >= 0:
            total -= values[at - reach - 1]
        count = min(at + reach, len(values) - 1) - max(at - reach, 0) + 1
        result.append(total / count)
    return result
