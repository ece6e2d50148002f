from collections import Counter
from pathlib import Path

DIGITS = frozenset("0123456789")


def day_of(line):
    head = line[:11]
    marks = [head[at : at + 1] for at in (4, 7, 10)]
    digits = head[:4] + head[5:7] + head[8:10]
    return head[:10] if marks == ["-", "-", "T"] and len(digits) == 8 and set(digits) <= DIGITS else ""


texts, counts, errors = {"": ""}, Counter(), Counter()
for line in Path("app.log").read_bytes().decode().split("\n")[:-1]:
    day = day_of(line)
    texts[day] = texts.get(day, "") + line + "\n"
    counts[day] += 1
    errors[day] += "ERROR" in line.split()
Path("days").mkdir()
for day, text in texts.items():
    Path(f"days/{day}.log" if day else "rest.log").write_bytes(text.encode())
lines = [f"{day} {counts[day]} {errors[day]}" for day in sorted(texts) if day]
Path("summary.txt").write_text("\n".join(lines))
