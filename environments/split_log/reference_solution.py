import os
import re

days, rest = {}, []
with open("app.log", encoding="utf-8") as log:
    for line in log:
        found = re.match("([0-9]{4}-[0-9]{2}-[0-9]{2})T", line)
        if found:
            days.setdefault(found[1], []).append(line)
        else:
            rest.append(line)

os.makedirs("days")
for day, lines in days.items():
    with open(f"days/{day}.log", "w", encoding="utf-8") as out:
        out.writelines(lines)
with open("rest.log", "w", encoding="utf-8") as out:
    out.writelines(rest)
with open("summary.txt", "w", encoding="utf-8") as out:
    for day in sorted(days):
        errors = sum("ERROR" in line.split() for line in days[day])
        out.write(f"{day} {len(days[day])} {errors}\n")
