def edit_cost(source, target, insert, delete, replace):
    row = [column * delete for column in range(len(target) + 1)]
    for letter in source:
        next_row = [row[0] + insert]
        for column, wanted in enumerate(target):
            change = row[column] + (letter != wanted) * replace
            next_row.append(min(change, row[column + 1] + insert, next_row[-1] + delete))
        row = next_row
    return row[-1]
