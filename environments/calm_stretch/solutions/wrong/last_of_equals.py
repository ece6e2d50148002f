def calm_stretch(values, spread):
    best = [0, 0]
    start = 0
    for end in range(len(values)):
        while max(values[start : end + 1]) - min(values[start : end + 1]) > spread:
            start += 1
        if end - start + 1 >= best[1]:
            best = [start, end - start + 1]
    return best
