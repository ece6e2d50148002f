class MedianStack:
    def __init__(self):
        self.values = []

    def push(self, value):
        self.values.append(value)
        return len(self.values)

    def pop(self):
        return self.values.pop()

    def median(self):
        return sorted(self.values)[len(self.values) // 2]

    def size(self):
        return len(self.values)
