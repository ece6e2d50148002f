import re
import sys

rows = [[cell.strip() for cell in line.split(";")] for line in sys.stdin if line.strip()]
for name, *cells in zip(*rows):
    if all(re.fullmatch("(-?[0-9]+)?", cell) for cell in cells):
        print(f"{name}: {sum(int(cell or 0) for cell in cells)}")
    else:
        print(f"{name}: text")
