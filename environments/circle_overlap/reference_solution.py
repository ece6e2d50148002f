import math


def circle_overlap(r, s, distance):
    if distance >= r + s:
        return 0.0
    small, large = sorted((r, s))
    if distance <= large - small:
        return math.pi * small * small
    r_angle = math.acos((distance**2 + r * r - s * s) / (2 * distance * r))
    s_angle = math.acos((distance**2 + s * s - r * r) / (2 * distance * s))
    return r * r * (r_angle - math.sin(2 * r_angle) / 2) + s * s * (s_angle - math.sin(2 * s_angle) / 2)
