import re

words = re.sub("#.*", "", open("image.pgm").read()).split()
w, h, top = map(int, words[1:4])
v = list(map(int, words[4:]))
with open("small.pgm", "w") as out:
    print("P2", (w + 1) // 2, (h + 1) // 2, top, file=out)
    for y in range(0, h, 2):
        for x in range(0, w, 2):
            block = [v[q * w + p] for q in (y, y + 1) for p in (x, x + 1) if q < h and p < w]
            print(sum(block) // 4, file=out)
