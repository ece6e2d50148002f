import sys


def as_number(cell):
    digits = cell[1:] if cell.startswith("-") else cell
    if cell == "":
        return 0
    return int(cell) if digits.isascii() and digits.isdigit() else None


def main():
    lines = [line for line in sys.stdin.read().split("\n") if line.strip()]
    names = lines[0].split(";")
    totals = [0] * len(names)
    for line in lines[1:]:
        for at, cell in enumerate(line.split(";")):
            number = as_number(cell.strip())
            totals[at] = None if number is None or totals[at] is None else totals[at] + number
    for name, total in zip(names, totals):
        print(name.strip(), "text" if total is None else total, sep=": ")


if __name__ == "__main__":
    main()
