def free_slots(busy, day, length):
    inside = sorted([max(s, day[0]), min(e, day[1])] for s, e in busy if e > day[0] and s < day[1])
    ends = [day[0]] + [end for _, end in inside]
    starts = [start for start, _ in inside] + [day[1]]
    return [[end, start] for end, start in zip(ends, starts) if start - end >= length]
