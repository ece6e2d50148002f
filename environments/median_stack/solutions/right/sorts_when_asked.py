from statistics import median_low


class MedianStack:
    def __init__(self):
        self._values = []

    def push(self, value):
        self._values += [value]
        return len(self._values)

    def pop(self):
        return self._values.pop()

    def median(self):
        if self.size() == 0:
            raise IndexError
        return median_low(self._values)

    def size(self):
        return len(self._values)
