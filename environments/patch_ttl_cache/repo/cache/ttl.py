"""A cache whose entries end after a time. Times are integers that the caller passes in; they never go back."""


class TtlCache:
    """Entries live for `ttl` units: one stored at time t is there at t + ttl - 1, and gone at t + ttl."""

    def __init__(self, ttl, capacity):
        self.ttl = ttl
        self.capacity = capacity
        self.entries = {}

    def put(self, key, value, now):
        """Store a value; storing under a key again begins its time anew.

        When there are too many entries, those that have ended go first, and then the one that was stored (or stored again) longest ago.
        """
        if key in self.entries:
            self.entries[key] = (value, self.entries[key][1])
        else:
            self.entries[key] = (value, now)
        if len(self.entries) > self.capacity:
            oldest = min(self.entries, key=lambda key: self.entries[key][1])
            del self.entries[oldest]

    def get(self, key, now, default=None):
        """The value of a key, or the default when there is none, or its time has ended."""
        value, stored = self.entries.get(key, (default, now))
        return value if now - stored <= self.ttl else None

    def size(self, now):
        """How many entries are there."""
        return len(self.entries)

    def purge(self, now):
        """Remove the entries that have ended, and return their keys, sorted."""
        ended = []
        for key, (_, stored) in self.entries.items():
            if now - stored >= self.ttl:
                ended.append(key)
                del self.entries[key]
        return ended
