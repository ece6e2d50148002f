class LruCache:
    def __init__(self, capacity):
        if capacity < 1:
            raise ValueError(capacity)
        self.capacity, self.entries = capacity, {}

    def put(self, key, value):
        self.entries[key] = value
        if len(self.entries) > self.capacity:
            removed = next(iter(self.entries))
            del self.entries[removed]
            return removed

    def get(self, key):
        if key in self.entries:
            self.entries[key] = self.entries.pop(key)
            return self.entries[key]

    def keys(self):
        return list(self.entries)[::-1]
