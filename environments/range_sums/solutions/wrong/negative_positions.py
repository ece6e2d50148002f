class RangeSums:
    def __init__(self, values):
        self.values = list(values)

    def total(self, start, end):
        if end > len(self.values) or start > end:
            raise IndexError
        return sum(self.values[start:end])

    def change(self, at, value):
        old = self.values[at]
        self.values[at] = value
        return old

    def first_at_least(self, amount):
        reached = 0
        for end, value in enumerate([*self.values, 0]):
            if reached >= amount:
                return end
            reached += value
