from itertools import groupby


def free_slots(busy, day, length):
    taken = set()
    for start, end in busy:
        taken.update(range(max(start, day[0]), min(end, day[1])))
    slots = []
    for is_taken, minutes in groupby(range(*day), key=taken.__contains__):
        minutes = list(minutes)
        if not is_taken and len(minutes) >= length:
            slots.append([minutes[0], minutes[-1] + 1])
    return slots
