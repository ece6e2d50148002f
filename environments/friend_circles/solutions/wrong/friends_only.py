class Circles:
    def __init__(self):
        self.friends = {}

    def meet(self, a, b):
        new = b not in self.friends.setdefault(a, {a})
        self.friends[a].add(b)
        self.friends.setdefault(b, {b}).add(a)
        return new

    def together(self, a, b):
        return b in self.friends.get(a, ())

    def circle(self, a):
        return sorted(self.friends.get(a, ()))

    def count(self):
        return len({frozenset(circle) for circle in self.friends.values()})
