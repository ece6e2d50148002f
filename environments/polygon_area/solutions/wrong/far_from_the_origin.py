def polygon_area(points):
    doubled = 0.0
    for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1]):
        doubled += float(x1) * y2 - float(x2) * y1
    return abs(doubled) / 2
