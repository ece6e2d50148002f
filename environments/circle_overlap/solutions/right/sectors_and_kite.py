from math import acos, pi, sqrt


def circle_overlap(r, s, distance):
    d = float(distance)
    if d >= r + s:
        return 0.0
    if d <= abs(r - s):
        return pi * min(r, s) ** 2
    sectors = r * r * acos((d * d + r * r - s * s) / (2 * d * r)) + s * s * acos(
        (d * d + s * s - r * r) / (2 * d * s)
    )
    kite = sqrt((-d + r + s) * (d + r - s) * (d - r + s) * (d + r + s)) / 2
    return sectors - kite
