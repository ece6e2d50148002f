class RateLimiter:
    def __init__(self, limit, window):
        self.limit, self.window, self.log = limit, window, {}

    def _recent(self, client, time):
        return [t for t in self.log.get(client, []) if t > time - self.window]

    def allow(self, client, time):
        recent = self._recent(client, time)
        self.log[client] = recent + [time]
        return len(recent) < self.limit

    def wait(self, client, time):
        recent = self._recent(client, time)
        return 0 if len(recent) < self.limit else recent[-self.limit] + self.window - time
