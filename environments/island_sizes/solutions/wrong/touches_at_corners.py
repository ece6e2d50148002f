def island_sizes(rows):
    width = len(rows[0]) if rows else 1
    land = {(y, x) for y, row in enumerate(rows) for x, field in enumerate(row) if field == "#"}
    sizes = []
    while land:
        island = [land.pop()]
        for y, x in island:
            for place in [(y + dy, (x + dx) % width) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]:
                if place in land:
                    land.remove(place)
                    island.append(place)
        sizes.append(len(island))
    return sorted(sizes, reverse=True)
