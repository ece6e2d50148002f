import re
from collections import Counter

counts = Counter()
for line in open("app.log", encoding="utf-8"):
    found = re.match(r"(\d{4}-\d{2}-\d{2})T", line)
    if found:
        counts[found[1]] += 1
for day in sorted(counts):
    print(day, counts[day])
