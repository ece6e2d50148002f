def tree_diameter(parents):
    deepest = 0
    for node in range(len(parents)):
        depth = 0
        while parents[node] != -1:
            node = parents[node]
            depth += 1
        deepest = max(deepest, depth)
    return deepest
