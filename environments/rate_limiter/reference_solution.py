from collections import deque


class RateLimiter:
    def __init__(self, limit, window):
        self.limit = limit
        self.window = window
        self.passed = {}

    def allow(self, client, time):
        times = self.recent(client, time)
        if len(times) < self.limit:
            times.append(time)
            return True
        return False

    def wait(self, client, time):
        times = self.recent(client, time)
        if len(times) < self.limit:
            return 0
        return times[0] + self.window - time

    def recent(self, client, time):
        times = self.passed.setdefault(client, deque())
        while times and times[0] <= time - self.window:
            times.popleft()
        return times
