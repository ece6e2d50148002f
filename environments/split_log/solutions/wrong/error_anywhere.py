import os
import re

days, rest = {}, []
for line in open("app.log", encoding="utf-8"):
    found = re.match(r"(\d{4}-\d{2}-\d{2})T", line)
    (days.setdefault(found[1], []) if found else rest).append(line)
os.makedirs("days")
for day, lines in days.items():
    open(f"days/{day}.log", "w", encoding="utf-8").writelines(lines)
open("rest.log", "w", encoding="utf-8").writelines(rest)
with open("summary.txt", "w") as out:
    for day in sorted(days):
        out.write(f"{day} {len(days[day])} {sum('ERROR' in line for line in days[day])}\n")
