def free_slots(busy, day, length):
    slots = []
    free_from, day_end = day
    for start, end in sorted(busy):
        if min(start, day_end) - free_from >= length:
            slots.append([free_from, min(start, day_end)])
        free_from = max(free_from, end)
    if day_end - free_from >= length:
        slots.append([free_from, day_end])
    return slots
