import re

words = re.sub("#.*", "", open("image.pgm").read()).split()
w, h, top = map(int, words[1:4])
v = list(map(int, words[4:]))
with open("small.pgm", "w") as out:
    print("P2", w // 2, h // 2, top, file=out)
    for y in range(0, h - 1, 2):
        print(
            *[
                (v[y * w + x] + v[y * w + x + 1] + v[y * w + w + x] + v[y * w + w + x + 1]) // 4
                for x in range(0, w - 1, 2)
            ],
            file=out,
        )
