class LruCache:
    def __init__(self, capacity):
        if capacity <= 0:
            raise ValueError(capacity)
        self._capacity, self._clock, self._values, self._used = capacity, 0, {}, {}

    def _touch(self, key):
        self._clock += 1
        self._used[key] = self._clock

    def put(self, key, value):
        self._values[key] = value
        self._touch(key)
        if len(self._values) <= self._capacity:
            return None
        oldest = min(self._used, key=self._used.get)
        del self._values[oldest], self._used[oldest]
        return oldest

    def get(self, key):
        if key in self._values:
            self._touch(key)
        return self._values.get(key)

    def keys(self):
        return sorted(self._used, key=self._used.get, reverse=True)
