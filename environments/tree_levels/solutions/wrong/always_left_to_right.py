def tree_levels(tree):
    levels, level = [], [tree] if tree else []
    while level:
        levels.append([node[0] for node in level])
        level = [child for node in level for child in node[1:] if child]
    return levels
