def pair_with_sum(values, target):
    last = {value: j for j, value in enumerate(values)}
    for i, value in enumerate(values):
        if last.get(target - value, -1) > i:
            return [i, values.index(target - value, i + 1)]
    return None
