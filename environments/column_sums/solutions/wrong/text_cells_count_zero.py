import re
import sys

rows = [[cell.strip() for cell in line.split(";")] for line in sys.stdin if line.strip()]
for name, *cells in zip(*rows):
    numbers = [int(cell) for cell in cells if re.fullmatch("-?[0-9]+", cell)]
    print(f"{name}: {sum(numbers)}" if numbers or not cells else f"{name}: text")
