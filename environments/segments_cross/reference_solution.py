def segments_cross(a, b, c, d):
    if not (meet(a[0], b[0], c[0], d[0]) and meet(a[1], b[1], c[1], d[1])):
        return False
    return side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0


def meet(a, b, c, d):
    return min(a, b) <= max(c, d) and min(c, d) <= max(a, b)


def side(a, b, c):
    turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (turn > 0) - (turn < 0)
