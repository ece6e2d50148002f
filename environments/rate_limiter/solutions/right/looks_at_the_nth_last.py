from collections import defaultdict


class RateLimiter:
    def __init__(self, limit, window):
        self._limit, self._window = limit, window
        self._log = defaultdict(list)

    def wait(self, client, time):
        log = self._log[client]
        if len(log) < self._limit:
            return 0
        return max(0, log[-self._limit] + self._window - time)

    def allow(self, client, time):
        if self.wait(client, time):
            return False
        self._log[client].append(time)
        return True
