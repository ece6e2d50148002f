import re
import sys

lines = sys.stdin.read().split("\n")
for n, line in enumerate(lines, 1):
    if line and not re.fullmatch(
        r"(set|add|mul) [a-z] (-?\d+|[a-z])|show (-?\d+|[a-z])|(skip|back) (-?\d+|[a-z]) \d+", line
    ):
        print("error in line", n)
        sys.exit(1)
names, at = {}, 0
while at < len(lines):
    words = lines[at].split()
    try:
        value = [names[w] if w.isalpha() else int(w) for w in words[2:3] or words[1:2]]
        if words[:1] == ["set"]:
            names[words[1]] = value[0]
        elif words[:1] == ["add"]:
            names[words[1]] += value[0]
        elif words[:1] == ["mul"]:
            names[words[1]] *= value[0]
        elif words[:1] == ["show"]:
            print(value[0])
        elif words:
            test = names[words[1]] if words[1].isalpha() else int(words[1])
            if words[0] == "skip" and test == 0:
                at += int(words[2])
            elif words[0] == "back" and test > 0:
                if int(words[2]) > at:
                    raise KeyError
                at -= int(words[2]) + 1
    except KeyError:
        print("error in line", at + 1)
        sys.exit(1)
    at += 1
