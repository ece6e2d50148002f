def tile_ways(length, tiles):
    # ends[n][tile]: ways to cover n fields that end with this tile; None: nothing lies there yet.
    ends = [{None: 1}]
    for covered in range(1, length + 1):
        ways = {}
        for tile in tiles:
            if tile <= covered:
                before = ends[covered - tile]
                ways[tile] = sum(before.values()) - before.get(tile, 0)
        ends.append(ways)
    return sum(ends[length].values())
