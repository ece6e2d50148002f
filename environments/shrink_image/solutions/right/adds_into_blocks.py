from pathlib import Path

lines = Path("image.pgm").read_text().split("\n")
_, width, height, largest, *values = [word for line in lines for word in line.split("#")[0].split()]
width, height = int(width), int(height)
columns, rows = -(-width // 2), -(-height // 2)
sums, counts = [0] * (columns * rows), [0] * (columns * rows)
for at, value in enumerate(values):
    block = at // width // 2 * columns + at % width // 2
    sums[block] += int(value)
    counts[block] += 1
words = ["P2", columns, rows, largest, *(total // count for total, count in zip(sums, counts))]
Path("small.pgm").write_text("\n".join(map(str, words)))
