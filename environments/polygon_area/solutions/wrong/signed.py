def polygon_area(points):
    if not points:
        return 0.0
    left, bottom = points[0]
    shifted = [(x - left, y - bottom) for x, y in points]
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(shifted, shifted[1:])) / 2.0
