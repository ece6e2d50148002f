def convex_hull(points):
    todo = sorted(set(map(tuple, points)))
    if not todo:
        return []
    hull = [todo[0]]
    while True:
        here = hull[-1]
        best = None
        for point in todo:
            if point == here:
                continue
            if best is None:
                best = point
                continue
            turn = (best[0] - here[0]) * (point[1] - here[1]) - (best[1] - here[1]) * (point[0] - here[0])
            farther = abs(point[0] - here[0]) + abs(point[1] - here[1]) > abs(best[0] - here[0]) + abs(
                best[1] - here[1]
            )
            if turn < 0 or (turn == 0 and farther):
                best = point
        if best is None or best == hull[0]:
            return [list(point) for point in hull]
        hull.append(best)
