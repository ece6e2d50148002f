n = int(input())
for _ in range(n):
    height, width = map(int, input().split())
    field = {}
    for y in range(height):
        for x, letter in enumerate(input().strip()):
            if letter != "#":
                field[complex(x, y)] = letter
    front = {place for place, letter in field.items() if letter == "S"}
    end = next(place for place, letter in field.items() if letter == "E")
    seen, steps = set(front), 0
    while front and end not in front:
        letters = {field[place] for place in front if field[place] in "abcdefghijklmnopqrstuvwxyz"}
        following = {place + way for place in front for way in (1, -1, 1j, -1j)}
        following |= {place for place in field if field[place] in letters}
        front = {place for place in following if place in field} - seen
        seen |= front
        steps += 1
    print(steps if front else "no way")
