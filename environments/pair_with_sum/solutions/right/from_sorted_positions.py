from bisect import bisect_left


def pair_with_sum(values, target):
    order = sorted(range(len(values)), key=lambda at: (values[at], at))
    ordered = [values[at] for at in order]
    best = None
    for j, value in enumerate(values):
        at = bisect_left(ordered, target - value)
        if at < len(order) and ordered[at] == target - value and order[at] < j:
            best = [order[at], j]
            break
    return best
