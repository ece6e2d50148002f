def best_haul(items, limit):
    total = 0
    for weight, value in sorted(items, key=lambda item: item[1] / max(item[0], 1e-9), reverse=True):
        if weight <= limit:
            limit -= weight
            total += value
    return total
