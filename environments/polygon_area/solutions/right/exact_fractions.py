from fractions import Fraction


def polygon_area(points):
    exact = [(Fraction(x), Fraction(y)) for x, y in points]
    doubled = sum(exact[i - 1][0] * y - x * exact[i - 1][1] for i, (x, y) in enumerate(exact))
    return float(abs(doubled) / 2)
