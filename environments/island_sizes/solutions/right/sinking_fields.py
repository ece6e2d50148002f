def island_sizes(rows):
    width = len(rows[0]) if rows else 0
    land = {(y, x) for y, row in enumerate(rows) for x, field in enumerate(row) if field == "#"}
    sizes = []
    while land:
        size, edge = 0, {land.pop()}
        while edge:
            size += len(edge)
            near = set()
            for y, x in edge:
                near |= {(y - 1, x), (y + 1, x), (y, (x + 1) % width), (y, (x - 1) % width)}
            edge = near & land
            land -= edge
        sizes.append(size)
    sizes.sort(key=lambda size: -size)
    return sizes
