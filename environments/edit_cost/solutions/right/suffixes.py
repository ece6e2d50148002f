from functools import cache


def edit_cost(source, target, insert, delete, replace):
    @cache
    def cost(i, j):
        if i == len(source):
            return (len(target) - j) * insert
        if j == len(target):
            return (len(source) - i) * delete
        same = cost(i + 1, j + 1) + (replace if source[i] != target[j] else 0)
        return min(same, cost(i, j + 1) + insert, cost(i + 1, j) + delete)

    for i in range(len(source), -1, -1):
        for j in range(len(target), -1, -1):
            cost(i, j)
    return cost(0, 0)
