def tree_diameter(parents):
    near = [set() for _ in parents]
    for node, parent in enumerate(parents):
        if parent != -1:
            near[node].add(parent)
            near[parent].add(node)
    left, rounds = len(parents), 0
    leaves = [node for node in range(len(parents)) if len(near[node]) <= 1]
    while left > 2:
        left -= len(leaves)
        rounds += 1
        following = []
        for leaf in leaves:
            other = near[leaf].pop()
            near[other].remove(leaf)
            if len(near[other]) == 1:
                following.append(other)
        leaves = following
    return 2 * rounds + left - 1
