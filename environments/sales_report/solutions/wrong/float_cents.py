import csv
import json

revenue = returns = 0
products, days = {}, {}
for row in csv.DictReader(open("sales.csv", encoding="utf-8")):
    pieces = int(row["pieces"])
    cents = int(pieces * float(row["price"]) * 100)
    product = products.setdefault(row["product"], {"pieces": 0, "cents": 0})
    product["pieces"] += pieces
    product["cents"] += cents
    days[row["day"]] = days.get(row["day"], 0) + cents
    revenue += cents
    returns += pieces < 0
best = max(sorted(days), key=days.get, default=None)
json.dump(
    {"revenue": revenue, "products": products, "best_day": best, "returns": returns}, open("report.json", "w")
)
