import json
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

lines = [line.split(",") for line in Path("sales.csv").read_text("utf-8").split("\n")[1:] if line]
products = defaultdict(lambda: defaultdict(int))
days = defaultdict(int)
for day, product, pieces, price in lines:
    cents = int(Decimal(pieces) * Decimal(price) * 100)
    products[product]["cents"] += cents
    products[product]["pieces"] += int(pieces)
    days[day] += cents
report = {
    "returns": sum(line[2].startswith("-") for line in lines),
    "best_day": min(days, key=lambda day: (-days[day], day)) if days else None,
    "products": products,
    "revenue": sum(days.values()),
}
Path("report.json").write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", "utf-8")
