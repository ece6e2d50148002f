def busiest_moment(stays):
    changes = []
    for arrival, departure in stays:
        changes.append((arrival, 1))
        changes.append((departure, -1))
    best = None
    guests = 0
    for time, change in sorted(changes):
        guests += change
        if best is None or guests > best[1]:
            best = [time, guests]
    return best
