def island_sizes(rows):
    land = {(y, x) for y, row in enumerate(rows) for x, field in enumerate(row) if field == "#"}
    sizes = []
    while land:
        island = [land.pop()]
        for y, x in island:
            for place in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if place in land:
                    land.remove(place)
                    island.append(place)
        sizes.append(len(island))
    return sorted(sizes, reverse=True)
