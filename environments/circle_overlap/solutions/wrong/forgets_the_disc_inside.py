from math import acos, sqrt


def circle_overlap(r, s, d):
    if d >= r + s or d == 0:
        return 0.0
    cosine_r = max(-1, min(1, (d * d + r * r - s * s) / (2 * d * r)))
    cosine_s = max(-1, min(1, (d * d + s * s - r * r) / (2 * d * s)))
    kite = sqrt(max(0, (-d + r + s) * (d + r - s) * (d - r + s) * (d + r + s))) / 2
    return r * r * acos(cosine_r) - s * s * acos(cosine_s) - kite
