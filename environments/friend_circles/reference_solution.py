class Circles:
    def __init__(self):
        self.parent = {}
        self.members = {}

    def meet(self, a, b):
        a, b = self.root(a), self.root(b)
        if a == b:
            return False
        if len(self.members[a]) < len(self.members[b]):
            a, b = b, a
        self.parent[b] = a
        self.members[a] += self.members.pop(b)
        return True

    def together(self, a, b):
        if a not in self.parent or b not in self.parent:
            return False
        return self.root(a) == self.root(b)

    def circle(self, a):
        if a not in self.parent:
            return []
        return sorted(self.members[self.root(a)])

    def count(self):
        return len(self.members)

    def root(self, person):
        if person not in self.parent:
            self.parent[person] = person
            self.members[person] = [person]
        while self.parent[person] != person:
            person = self.parent[person]
        return person
