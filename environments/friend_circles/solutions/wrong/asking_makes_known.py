class Circles:
    def __init__(self):
        self.circles = []

    def _find(self, person):
        for circle in self.circles:
            if person in circle:
                return circle
        self.circles.append({person})
        return self.circles[-1]

    def meet(self, a, b):
        one, two = self._find(a), self._find(b)
        if one is two:
            return False
        self.circles.remove(two)
        one |= two
        return True

    def together(self, a, b):
        return b in self._find(a)

    def circle(self, a):
        return sorted(self._find(a))

    def count(self):
        return len(self.circles)
