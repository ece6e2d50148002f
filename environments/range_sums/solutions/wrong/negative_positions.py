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
        for end in range(len(self.values) + 1):
            if sum(self.values[:end]) >= amount:
                return end
