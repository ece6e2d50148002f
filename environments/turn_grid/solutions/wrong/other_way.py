def turn_grid(grid):
    grid[:] = [list(row) for row in zip(*grid)][::-1]
