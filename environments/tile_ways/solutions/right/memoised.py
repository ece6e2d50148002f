from functools import cache


def tile_ways(length, tiles):
    @cache
    def ways(left, last):
        if left == 0:
            return 1
        return sum(ways(left - tile, tile) for tile in tiles if tile != last and tile <= left)

    for left in range(length + 1):
        for tile in tiles:
            ways(left, tile)
    return ways(length, None)
