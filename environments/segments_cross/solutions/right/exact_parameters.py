from fractions import Fraction


def segments_cross(a, b, c, d):
    def holds(p, q, r):
        cross = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        inside = min(p[0], q[0]) <= r[0] <= max(p[0], q[0]) and min(p[1], q[1]) <= r[1] <= max(p[1], q[1])
        return cross == 0 and inside

    if holds(a, b, c) or holds(a, b, d) or holds(c, d, a) or holds(c, d, b):
        return True
    ux, uy, vx, vy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
    determinant = ux * vy - uy * vx
    if determinant == 0:
        return False
    s = Fraction((c[0] - a[0]) * vy - (c[1] - a[1]) * vx, determinant)
    t = Fraction((c[0] - a[0]) * uy - (c[1] - a[1]) * ux, determinant)
    return 0 <= s <= 1 and 0 <= t <= 1
