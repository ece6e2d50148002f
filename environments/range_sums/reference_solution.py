class RangeSums:
    def __init__(self, values):
        self.values = list(values)
        self.tree = [0] + self.values
        for node in range(1, len(self.tree)):
            parent = node + (node & -node)
            if parent < len(self.tree):
                self.tree[parent] += self.tree[node]

    def total(self, start, end):
        if not 0 <= start <= end <= len(self.values):
            raise IndexError(f"{start} to {end} lies outside the list")
        return self.sum_to(end) - self.sum_to(start)

    def change(self, at, value):
        if not 0 <= at < len(self.values):
            raise IndexError(f"{at} lies outside the list")
        before = self.values[at]
        self.values[at] = value
        node = at + 1
        while node < len(self.tree):
            self.tree[node] += value - before
            node += node & -node
        return before

    def first_at_least(self, amount):
        # Values may be negative, so that sums need not grow: every end has to be looked at.
        reached = 0
        for end, value in enumerate(self.values):
            if reached >= amount:
                return end
            reached += value
        return len(self.values) if reached >= amount else None

    def sum_to(self, end):
        result = 0
        while end:
            result += self.tree[end]
            end -= end & -end
        return result
