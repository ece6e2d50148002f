"""Takes the solution's object and a plain model through the same calls."""

from deepgym_solution import load_solution, run_seed

from scoring import check_objects, verdict
from variants import make_cases


class Model:
    """A list that counts, for the median, how many values are smaller."""

    def __init__(self):
        self.values = []

    def push(self, value):
        self.values = [*self.values, value]
        return self.size()

    def pop(self):
        if not self.values:
            raise IndexError
        *self.values, top = self.values
        return top

    def median(self):
        place = (self.size() - 1) // 2
        for value in self.values:
            below = sum(other < value for other in self.values)
            if below <= place < below + self.values.count(value):
                return value
        raise IndexError

    def size(self):
        return len(self.values)


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_objects(solution, "MedianStack", make_cases(seed), Model, refuses=IndexError), seed)
