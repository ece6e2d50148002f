class Circles:
    def __init__(self):
        self._circle_of = {}

    def meet(self, a, b):
        one = self._circle_of.setdefault(a, {a})
        two = self._circle_of.setdefault(b, {b})
        if one is two:
            return False
        small, large = sorted((one, two), key=len)
        large |= small
        for person in small:
            self._circle_of[person] = large
        return True

    def together(self, a, b):
        return a in self._circle_of and self._circle_of[a] is self._circle_of.get(b)

    def circle(self, a):
        return sorted(self._circle_of.get(a, ()))

    def count(self):
        return len({id(circle) for circle in self._circle_of.values()})
