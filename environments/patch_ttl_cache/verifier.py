"""Applies the diff, loads the project, and takes its class and a plain model through the same calls."""

from deepgym_solution import run_seed

from projects import load_patched
from scoring import check_objects, verdict
from variants import make_cases


class Model:
    """A list of (key, value, time), the oldest first; what has ended is taken out before anything else is done."""

    def __init__(self, ttl, capacity):
        self.ttl, self.capacity, self.rows, self.ended = ttl, capacity, [], set()

    def advance(self, now):
        self.ended |= {key for key, _, stored in self.rows if stored + self.ttl <= now}
        self.rows = [row for row in self.rows if row[2] + self.ttl > now]

    def put(self, key, value, now):
        held = len(self.ended - {key}) + len(self.rows) + (key not in [row[0] for row in self.rows])
        self.advance(now)
        self.ended.discard(key)
        self.rows = [row for row in self.rows if row[0] != key] + [(key, value, now)]
        if held > self.capacity and self.ended:
            self.ended.clear()
        self.rows = self.rows[-self.capacity :]

    def get(self, key, now, default=None):
        self.advance(now)
        return next((value for other, value, _ in self.rows if other == key), default)

    def size(self, now):
        self.advance(now)
        return len(self.rows)

    def purge(self, now):
        self.advance(now)
        ended, self.ended = sorted(self.ended), set()
        return ended


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_patched(solution_path, "cache.ttl")
    return verdict(check_objects(solution, "TtlCache", make_cases(seed), Model), seed)
