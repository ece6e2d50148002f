def turn_grid(grid):
    size = len(grid)
    for ring in range(size // 2):
        last = size - 1 - ring
        for step in range(last - ring):
            kept = grid[ring][ring + step]
            grid[ring][ring + step] = grid[last - step][ring]
            grid[last - step][ring] = grid[last][last - step]
            grid[last][last - step] = grid[ring + step][last]
            grid[ring + step][last] = kept
