def polygon_area(points):
    if len(points) < 3:
        return 0.0
    # Seen from a corner, coordinates are no larger than the polygon: nothing cancels out.
    left, bottom = points[0]
    doubled = 0.0
    for (x1, y1), (x2, y2) in zip(points[1:], points[2:]):
        doubled += (x1 - left) * (y2 - bottom) - (x2 - left) * (y1 - bottom)
    return abs(doubled) / 2
