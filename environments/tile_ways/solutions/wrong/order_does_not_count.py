def tile_ways(length, tiles):
    ways = [1] + [0] * length
    for tile in tiles:
        for covered in range(length, tile - 1, -1):
            ways[covered] += ways[covered - tile]
    return ways[length]
