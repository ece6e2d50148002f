def best_haul(items, limit):
    states = [(0, 0)]
    for weight, value in items:
        merged = sorted(states + [(w + weight, v + value) for w, v in states if w + weight <= limit])
        states = []
        for w, v in merged:
            if states and states[-1][0] == w:
                states[-1] = (w, max(v, states[-1][1]))
            elif not states or v > states[-1][1]:
                states.append((w, v))
    return max(value for _, value in states)
