def pair_with_sum(values, target):
    first = {}
    for j, value in enumerate(values):
        if target - value in first:
            return [first[target - value], j]
        if value not in first:
            first[value] = j
    return None
