def turn_grid(grid):
    grid.reverse()
    for row in range(len(grid)):
        for column in range(row):
            grid[row][column], grid[column][row] = grid[column][row], grid[row][column]
