def calm_stretch(values, spread):
    best, start = [0, 0], 0
    for end in range(len(values)):
        if end and abs(values[end] - values[end - 1]) > spread:
            start = end
        if end - start + 1 > best[1]:
            best = [start, end - start + 1]
    return best
