"""Takes the solution's object and a plain model through the same calls."""

from deepgym_solution import load_solution, run_seed

from scoring import check_objects, verdict
from variants import make_cases


class Model:
    """A list of entries, the one used last in front."""

    def __init__(self, capacity):
        if capacity < 1:
            raise ValueError(capacity)
        self.capacity, self.entries = capacity, []

    def put(self, key, value):
        self.entries = [(key, value), *(entry for entry in self.entries if entry[0] != key)]
        removed = self.entries[self.capacity :]
        self.entries = self.entries[: self.capacity]
        return removed[0][0] if removed else None

    def get(self, key):
        found = [entry for entry in self.entries if entry[0] == key]
        self.entries = found + [entry for entry in self.entries if entry[0] != key]
        return found[0][1] if found else None

    def keys(self):
        return [key for key, _ in self.entries]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_objects(solution, "LruCache", make_cases(seed), Model, refuses=ValueError), seed)
