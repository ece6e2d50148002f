import sys

lines, names, at = sys.stdin.read().split("\n"), {}, 0
while at < len(lines):
    words = lines[at].split(" ")
    try:
        if words != [""]:
            value = lambda w: names[w] if w.isalpha() else int(w)
            if words[0] == "set" and len(words) == 3:
                names[words[1]] = value(words[2])
            elif words[0] == "add":
                names[words[1]] += value(words[2])
            elif words[0] == "mul":
                names[words[1]] *= value(words[2])
            elif words[0] == "show":
                print(value(words[1]))
            elif words[0] == "skip":
                at += int(words[2]) * (value(words[1]) == 0)
            elif words[0] == "back":
                if value(words[1]) > 0:
                    at -= int(words[2]) + 1
                    assert at >= -1
            else:
                raise ValueError
    except Exception:
        print("error in line", at + 1)
        break
    at += 1
