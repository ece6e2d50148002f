def best_haul(items, limit):
    best = [0] * (limit + 1)
    for weight, value in items:
        for room in range(max(weight, 1), limit + 1):
            best[room] = max(best[room], best[room - weight] + value)
    return best[limit]
