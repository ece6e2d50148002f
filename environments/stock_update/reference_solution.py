stock = {}
with open("stock.txt", encoding="utf-8") as lines:
    for line in lines:
        article, count = line.split()
        stock[article] = int(count)

refused = []
with open("moves.txt", encoding="utf-8") as lines:
    for line in lines:
        sign, article, count = line.split()
        change = int(count) if sign == "+" else -int(count)
        if stock.get(article, 0) + change < 0:
            refused.append(line)
        else:
            stock[article] = stock.get(article, 0) + change

with open("stock_new.txt", "w", encoding="utf-8") as out:
    for article in sorted(stock):
        if stock[article] > 0:
            out.write(f"{article} {stock[article]}\n")
with open("refused.txt", "w", encoding="utf-8") as out:
    out.writelines(refused)
