"""Takes the solution's object and a plain model through the same calls."""

from itertools import accumulate

from deepgym_solution import load_solution, run_seed

from scoring import check_objects, verdict
from variants import make_cases


class Model:
    """A list, and slices of it."""

    def __init__(self, values):
        self.values = list(values)

    def total(self, start, end):
        if start < 0 or start > end or end > len(self.values):
            raise IndexError
        return sum(self.values[start:end])

    def change(self, at, value):
        if at not in range(len(self.values)):
            raise IndexError
        old, self.values[at] = self.values[at], value
        return old

    def first_at_least(self, amount):
        ends = [end for end, reached in enumerate(accumulate([0, *self.values])) if reached >= amount]
        return min(ends, default=None)


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_objects(solution, "RangeSums", make_cases(seed), Model, refuses=IndexError), seed)
