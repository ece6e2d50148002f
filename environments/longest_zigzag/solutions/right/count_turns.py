def longest_zigzag(values):
    heights = [value for at, value in enumerate(values) if at == 0 or values[at - 1] != value]
    turns = [
        at
        for at in range(1, len(heights) - 1)
        if (heights[at] > heights[at - 1]) == (heights[at] > heights[at + 1])
    ]
    return len(turns) + min(len(heights), 2)
