from bisect import bisect_left, insort


def calm_stretch(values, spread):
    window = []
    start = best_start = best_length = 0
    for end in range(len(values)):
        insort(window, values[end])
        while window[-1] - window[0] > spread:
            del window[bisect_left(window, values[start])]
            start += 1
        if end + 1 - start > best_length:
            best_start, best_length = start, end + 1 - start
    return [best_start, best_length]
