def longest_zigzag(values):
    best = length = min(len(values), 1)
    for at in range(1, len(values)):
        step = values[at] - values[at - 1]
        turned = at == 1 or step * (values[at - 1] - values[at - 2]) < 0
        length = 1 if step == 0 else length + 1 if turned else 2
        best = max(best, length)
    return best
