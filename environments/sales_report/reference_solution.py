import csv
import json

revenue = returns = 0
products, days = {}, {}
with open("sales.csv", newline="", encoding="utf-8") as table:
    for row in csv.DictReader(table):
        pieces = int(row["pieces"])
        cents = pieces * int(row["price"].replace(".", ""))
        product = products.setdefault(row["product"], {"pieces": 0, "cents": 0})
        product["pieces"] += pieces
        product["cents"] += cents
        days[row["day"]] = days.get(row["day"], 0) + cents
        revenue += cents
        returns += pieces < 0

best_day = max(sorted(days), key=days.get, default=None)
report = {"revenue": revenue, "products": products, "best_day": best_day, "returns": returns}
with open("report.json", "w", encoding="utf-8") as out:
    json.dump(report, out)
