def busiest_moment(stays):
    best = None
    for time, _ in sorted(stays):
        guests = sum(arrival <= time < departure for arrival, departure in stays)
        if best is None or guests >= best[1]:
            best = [time, guests]
    return best
