def tree_diameter(parents):
    open_children = [0] * len(parents)
    for parent in parents:
        if parent >= 0:
            open_children[parent] += 1
    height = [0] * len(parents)
    longest = 0
    leaves = [node for node, count in enumerate(open_children) if count == 0]
    for node in leaves:
        parent = parents[node]
        if parent >= 0:
            longest = max(longest, height[parent] + height[node] + 1)
            height[parent] = max(height[parent], height[node] + 1)
            open_children[parent] -= 1
            if open_children[parent] == 0:
                leaves.append(parent)
    return longest
