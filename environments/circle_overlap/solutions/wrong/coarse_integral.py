from math import sqrt


def circle_overlap(r, s, d):
    low, high = max(-r, d - s), min(r, d + s)
    if high <= low:
        return 0.0
    steps = 2000
    width = (high - low) / steps
    area = 0.0
    for step in range(steps):
        x = low + (step + 0.5) * width
        area += 2 * width * min(sqrt(max(0, r * r - x * x)), sqrt(max(0, s * s - (x - d) ** 2)))
    return area
