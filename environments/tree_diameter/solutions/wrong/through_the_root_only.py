def tree_diameter(parents):
    root = parents.index(-1)
    arms = {}
    for node in range(len(parents)):
        depth, top = 0, node
        while node != root:
            top, node = node, parents[node]
            depth += 1
        if depth:
            arms[top] = max(arms.get(top, 0), depth)
    return sum(sorted(arms.values())[-2:])
