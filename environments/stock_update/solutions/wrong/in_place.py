stock = {}
for line in open("stock.txt", encoding="utf-8"):
    article, count = line.split()
    stock[article] = int(count)
refused = []
for line in open("moves.txt", encoding="utf-8"):
    sign, article, count = line.split()
    if int(sign + count) + stock.get(article, 0) < 0:
        refused.append(line)
    else:
        stock[article] = stock.get(article, 0) + int(sign + count)
open("refused.txt", "w", encoding="utf-8").writelines(refused)
for name in ("stock.txt", "stock_new.txt"):
    open(name, "w", encoding="utf-8").writelines(f"{a} {n}\n" for a, n in sorted(stock.items()) if n)
