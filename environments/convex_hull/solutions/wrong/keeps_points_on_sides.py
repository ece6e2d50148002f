def convex_hull(points):
    ordered = sorted({(x, y) for x, y in points})
    if len(ordered) < 3:
        return [list(point) for point in ordered]
    halves = []
    for half in (ordered, ordered[::-1]):
        hull = []
        for x, y in half:
            while len(hull) > 1:
                (ax, ay), (bx, by) = hull[-2:]
                if (bx - ax) * (y - by) - (by - ay) * (x - bx) >= 0:
                    break
                hull.pop()
            hull.append((x, y))
        halves += hull[:-1]
    return [list(point) for point in halves]
