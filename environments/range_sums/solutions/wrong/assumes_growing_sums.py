class RangeSums:
    def __init__(self, values):
        self.values = list(values)

    def total(self, start, end):
        if not 0 <= start <= end <= len(self.values):
            raise IndexError
        return sum(self.values[start:end])

    def change(self, at, value):
        if not 0 <= at < len(self.values):
            raise IndexError
        old, self.values[at] = self.values[at], value
        return old

    def first_at_least(self, amount):
        low, high = 0, len(self.values)
        if sum(self.values) < amount:
            return None
        while low < high:
            middle = (low + high) // 2
            if sum(self.values[:middle]) >= amount:
                high = middle
            else:
                low = middle + 1
        return low
