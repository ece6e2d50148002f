def convex_hull(points):
    ordered = sorted({(x, y) for x, y in points})
    if len(ordered) < 3:
        return [list(point) for point in ordered]
    lower = half_hull(ordered)
    upper = half_hull(ordered[::-1])
    return [list(point) for point in lower[:-1] + upper[:-1]]


def half_hull(ordered):
    hull = []
    for x, y in ordered:
        while len(hull) > 1:
            (ax, ay), (bx, by) = hull[-2:]
            if (bx - ax) * (y - by) - (by - ay) * (x - bx) > 0:
                break
            hull.pop()
        hull.append((x, y))
    return hull
