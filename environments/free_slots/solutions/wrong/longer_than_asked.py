def free_slots(busy, day, length):
    slots, free_from = [], day[0]
    for start, end in sorted(busy) + [[day[1], day[1]]]:
        start = min(start, day[1])
        if start - free_from > length:
            slots.append([free_from, start])
        free_from = max(free_from, end)
    return slots
