def convex_hull(points):
    ordered = sorted({(x, y) for x, y in points})
    if len(ordered) < 3:
        return [list(point) for point in ordered]
    corners = []
    for half in (ordered, ordered[::-1]):
        hull = []
        for x, y in half:
            while (
                len(hull) > 1
                and (hull[-1][0] - hull[-2][0]) * (y - hull[-1][1])
                - (hull[-1][1] - hull[-2][1]) * (x - hull[-1][0])
                >= 0
            ):
                hull.pop()
            hull.append((x, y))
        corners += hull[:-1]
    return [list(point) for point in corners]
