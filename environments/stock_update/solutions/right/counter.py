from collections import Counter
from pathlib import Path

stock = Counter()
for line in Path("stock.txt").read_text("utf-8").splitlines():
    article, _, count = line.partition(" ")
    stock[article] = int(count)
refused = ""
for line in Path("moves.txt").read_text("utf-8").splitlines():
    sign, article, count = line.split(" ")
    if sign == "-" and int(count) > stock[article]:
        refused += line + "\r\n"
    else:
        stock.update({article: int(sign + count)})
Path("refused.txt").write_text(refused, "utf-8")
Path("stock_new.txt").write_text("\n".join(f"{a} {n}" for a, n in sorted(stock.items()) if n), "utf-8")
