from bisect import bisect_left, insort


class MedianStack:
    def __init__(self):
        self.values = []
        self.ordered = []

    def push(self, value):
        self.values.append(value)
        insort(self.ordered, value)
        return len(self.values)

    def pop(self):
        value = self.values.pop()
        del self.ordered[bisect_left(self.ordered, value)]
        return value

    def median(self):
        if not self.ordered:
            raise IndexError("an empty stack has no median")
        return self.ordered[(len(self.ordered) - 1) // 2]

    def size(self):
        return len(self.values)
