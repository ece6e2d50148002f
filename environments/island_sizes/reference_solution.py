def island_sizes(rows):
    seen = set()
    sizes = []
    for row, line in enumerate(rows):
        for column, field in enumerate(line):
            if field == "." or (row, column) in seen:
                continue
            seen.add((row, column))
            island = [(row, column)]
            for y, x in island:
                around = [(y - 1, x), (y + 1, x), (y, (x - 1) % len(line)), (y, (x + 1) % len(line))]
                for place in around:
                    if 0 <= place[0] < len(rows) and place not in seen and rows[place[0]][place[1]] == "#":
                        seen.add(place)
                        island.append(place)
            sizes.append(len(island))
    return sorted(sizes, reverse=True)
