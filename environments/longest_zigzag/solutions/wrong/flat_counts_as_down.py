def longest_zigzag(values):
    if not values:
        return 0
    up = down = 1
    for before, value in zip(values, values[1:]):
        if value > before:
            up = down + 1
        else:
            down = up + 1
    return max(up, down)
