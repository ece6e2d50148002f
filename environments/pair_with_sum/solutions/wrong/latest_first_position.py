def pair_with_sum(values, target):
    seen = {}
    for j, value in enumerate(values):
        if target - value in seen:
            return [seen[target - value], j]
        seen[value] = j
    return None
