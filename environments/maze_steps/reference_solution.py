import sys
from collections import deque


def shortest(rows):
    gates = {}
    for y, row in enumerate(rows):
        for x, field in enumerate(row):
            gates.setdefault(field, []).append((y, x))
    [start], [end] = gates["S"], gates["E"]
    steps = {start: 0}
    todo = deque([start])
    while todo:
        y, x = todo.popleft()
        if (y, x) == end:
            return steps[end]
        near = [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
        if rows[y][x].islower():
            # All fields of a letter are reached by its first one; later ones need not look again.
            near += gates.pop(rows[y][x], [])
        for place in near:
            inside = 0 <= place[0] < len(rows) and 0 <= place[1] < len(rows[0])
            if inside and rows[place[0]][place[1]] != "#" and place not in steps:
                steps[place] = steps[y, x] + 1
                todo.append(place)
    return "no way"


def main():
    lines = sys.stdin.read().split("\n")
    at = 1
    for _ in range(int(lines[0])):
        height = int(lines[at].split()[0])
        print(shortest(lines[at + 1 : at + 1 + height]))
        at += 1 + height


main()
