class RateLimiter:
    def __init__(self, limit, window):
        self.limit, self.window, self.counts = limit, window, {}

    def allow(self, client, time):
        key = client, time // self.window
        self.counts[key] = self.counts.get(key, 0) + 1
        return self.counts[key] <= self.limit

    def wait(self, client, time):
        full = self.counts.get((client, time // self.window), 0) >= self.limit
        return self.window - time % self.window if full else 0
