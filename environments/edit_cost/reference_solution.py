def edit_cost(source, target, insert, delete, replace):
    row = [column * insert for column in range(len(target) + 1)]
    for letter in source:
        diagonal = row[0]
        row[0] += delete
        for column, wanted in enumerate(target, 1):
            above = row[column]
            change = diagonal + (0 if letter == wanted else replace)
            row[column] = min(above + delete, row[column - 1] + insert, change)
            diagonal = above
    return row[-1]
