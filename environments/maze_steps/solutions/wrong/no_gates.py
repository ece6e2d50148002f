import sys
from collections import deque

lines = sys.stdin.read().split("\n")
at = 1
for _ in range(int(lines[0])):
    height = int(lines[at].split()[0])
    rows = lines[at + 1 : at + 1 + height]
    at += 1 + height
    start = next((y, x) for y, row in enumerate(rows) for x, f in enumerate(row) if f == "S")
    steps, todo, answer = {start: 0}, deque([start]), "no way"
    while todo:
        y, x = todo.popleft()
        if rows[y][x] == "E":
            answer = steps[y, x]
            break
        for p, q in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if 0 <= p < height and 0 <= q < len(rows[0]) and rows[p][q] != "#" and (p, q) not in steps:
                steps[p, q] = steps[y, x] + 1
                todo.append((p, q))
    print(answer)
