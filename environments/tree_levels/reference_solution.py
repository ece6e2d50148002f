def tree_levels(tree):
    levels = []
    level = [tree] if tree is not None else []
    while level:
        values = [node[0] for node in level]
        if len(levels) % 2 == 1:
            values.reverse()
        levels.append(values)
        level = [child for node in level for child in node[1:] if child is not None]
    return levels
