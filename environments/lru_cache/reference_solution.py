from collections import OrderedDict


class LruCache:
    def __init__(self, capacity):
        if capacity < 1:
            raise ValueError("a cache holds at least one entry")
        self.capacity = capacity
        self.entries = OrderedDict()

    def put(self, key, value):
        self.entries[key] = value
        self.entries.move_to_end(key)
        if len(self.entries) > self.capacity:
            removed, _ = self.entries.popitem(last=False)
            return removed
        return None

    def get(self, key):
        if key not in self.entries:
            return None
        self.entries.move_to_end(key)
        return self.entries[key]

    def keys(self):
        return list(reversed(self.entries))
