import re
import sys

INSTRUCTION = re.compile(
    r"(set|add|mul) ([a-z]) (-?\d+|[a-z])|(show) (-?\d+|[a-z])|(skip|back) (-?\d+|[a-z]) (\d+)", re.ASCII
)


def main():
    lines = sys.stdin.read().split("\n")
    stored = {}
    at = 0
    while at < len(lines):
        try:
            at = step(lines[at], at, stored)
        except (LookupError, ValueError):
            print(f"error in line {at + 1}")
            return 1
    return 0


def step(line, at, stored):
    if line == "":
        return at + 1
    found = INSTRUCTION.fullmatch(line)
    if found is None:
        raise ValueError(line)
    change, name, operand, show, shown, jump, condition, count = found.groups()
    value = operand or shown or condition
    value = stored[value] if value.isalpha() else int(value)
    if change == "set":
        stored[name] = value
    elif change == "add":
        stored[name] += value
    elif change == "mul":
        stored[name] *= value
    elif show:
        print(value)
    elif jump == "skip" and value == 0:
        return at + 1 + int(count)
    elif jump == "back" and value > 0:
        if int(count) > at:
            raise LookupError(count)
        return at - int(count)
    return at + 1


sys.exit(main())
