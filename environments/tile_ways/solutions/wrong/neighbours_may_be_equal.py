def tile_ways(length, tiles):
    ways = [1] + [0] * length
    for covered in range(1, length + 1):
        ways[covered] = sum(ways[covered - tile] for tile in tiles if tile <= covered)
    return ways[length]
