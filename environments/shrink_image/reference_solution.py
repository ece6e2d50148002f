import re

with open("image.pgm", encoding="ascii") as image:
    words = re.sub("#.*", "", image.read()).split()
width, height, largest = map(int, words[1:4])
values = list(map(int, words[4:]))
rows = [values[y * width : (y + 1) * width] for y in range(height)]

small = []
for y in range(0, height, 2):
    line = []
    for x in range(0, width, 2):
        block = [value for row in rows[y : y + 2] for value in row[x : x + 2]]
        line.append(sum(block) // len(block))
    small.append(line)

with open("small.pgm", "w", encoding="ascii") as out:
    print("P2", (width + 1) // 2, (height + 1) // 2, largest, file=out)
    for line in small:
        print(*line, file=out)
