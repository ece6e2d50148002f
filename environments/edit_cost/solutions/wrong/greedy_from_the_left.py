def edit_cost(source, target, insert, delete, replace):
    cost = sum(min(replace, insert + delete) for a, b in zip(source, target) if a != b)
    longer = len(target) - len(source)
    return cost + (longer * insert if longer > 0 else -longer * delete)
