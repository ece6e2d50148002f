def tree_levels(tree):
    levels = []

    def walk(node, depth):
        if node is None:
            return
        if depth == len(levels):
            levels.append([])
        value, left, right = node
        levels[depth].append(value)
        walk(left, depth + 1)
        walk(right, depth + 1)

    walk(tree, 0)
    return [level[::-1] if depth % 2 else level for depth, level in enumerate(levels)]
