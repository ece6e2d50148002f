import sys
from collections import deque

lines = sys.stdin.read().split("\n")
at = 1
for _ in range(int(lines[0])):
    height = int(lines[at].split()[0])
    rows = lines[at + 1 : at + 1 + height]
    at += 1 + height
    fields = {(y, x): f for y, row in enumerate(rows) for x, f in enumerate(row) if f != "#"}
    start = next(p for p, f in fields.items() if f == "S")
    steps, todo, answer = {start: 0}, deque([start]), "no way"
    while todo:
        y, x = todo.popleft()
        if fields[y, x] == "E":
            answer = steps[y, x]
            break
        if fields[y, x].islower():
            for p, f in fields.items():
                if f == fields[y, x] and p not in steps:
                    steps[p] = steps[y, x]
                    todo.appendleft(p)
        for p in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if p in fields and p not in steps:
                steps[p] = steps[y, x] + 1
                todo.append(p)
    print(answer)
