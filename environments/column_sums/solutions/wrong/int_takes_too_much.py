import sys

rows = [[cell.strip() for cell in line.split(";")] for line in sys.stdin if line.strip()]
for name, *cells in zip(*rows):
    try:
        print(f"{name}: {sum(int(cell or 0) for cell in cells)}")
    except ValueError:
        print(f"{name}: text")
