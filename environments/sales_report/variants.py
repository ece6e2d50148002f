"""Sales with prices that floats miss, goods that come back, and days that earn the same."""

import random

HEADER = "day,product,pieces,price\n"
EDGES = [
    HEADER,
    HEADER + "2024-02-02,tea,3,0.35\n",
    HEADER + "2024-02-02,tea,1,1.10\n2024-02-01,rye,2,0.55\n",
    HEADER + "2024-02-02,tea,-2,0.29\n2024-02-01,tea,-2,0.29",
    HEADER + "2024-02-02,é,1,0.00\n2024-02-03,é,-1,0.00\n",
    HEADER + "2024-02-02,tea,1000000000000,90071992547409.93\n",
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [{"sales.csv": text} for text in EDGES])]
    for number in range(9):
        days = [f"2024-0{rng.randint(1, 9)}-{rng.randint(10, 28)}" for _ in range(rng.randint(2, 5))]
        prices = [f"{rng.randint(0, 30)}.{rng.choice(['29', '57', '10', '01', '99'])}" for _ in range(4)]
        lines = []
        for _ in range(rng.randint(3, 40)):
            product, price = rng.choice(["tea", "rye", "salt", "Tea"]), rng.choice(prices)
            lines.append(f"{rng.choice(days)},{product},{rng.choice([1, 2, 3, 10, -1, -2])},{price}\n")
        twin = f",pear,{rng.randint(400, 500)},9.99\n"
        lines += [f"2025-12-31{twin}", f"2025-11-30{twin}"]
        cases.append((f"random_{number}", {"sales.csv": HEADER + "".join(lines)}))
    return cases
