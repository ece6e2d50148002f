from itertools import accumulate


class RangeSums:
    SIZE = 100

    def __init__(self, values):
        self._values = [*values]
        self._blocks = [
            sum(self._values[at : at + self.SIZE]) for at in range(0, len(self._values), self.SIZE)
        ]

    def total(self, start, end):
        if start < 0 or end < start or end > len(self._values):
            raise IndexError
        first, last = -(-start // self.SIZE), end // self.SIZE
        if first >= last:
            return sum(self._values[start:end])
        middle = sum(self._blocks[first:last])
        return (
            sum(self._values[start : first * self.SIZE]) + middle + sum(self._values[last * self.SIZE : end])
        )

    def change(self, at, value):
        if at < 0 or at >= len(self._values):
            raise IndexError
        old, self._values[at] = self._values[at], value
        self._blocks[at // self.SIZE] += value - old
        return old

    def first_at_least(self, amount):
        sums = accumulate(self._values, initial=0)
        return next((end for end, reached in enumerate(sums) if reached >= amount), None)
