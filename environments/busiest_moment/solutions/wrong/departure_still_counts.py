def busiest_moment(stays):
    changes = sorted([(a, 0, 1) for a, _ in stays] + [(d, 1, -1) for _, d in stays])
    best, guests = None, 0
    for time, _, change in changes:
        guests += change
        if best is None or guests > best[1]:
            best = [time, guests]
    return best
