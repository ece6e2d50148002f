"""Takes the solution's object and a plain model through the same calls."""

from deepgym_solution import load_solution, run_seed

from scoring import check_objects, verdict
from variants import make_cases


class Model:
    """A label for each person; when circles join, every label is looked at."""

    def __init__(self):
        self.label = {}

    def meet(self, a, b):
        for person in (a, b):
            self.label.setdefault(person, person)
        keep, change = self.label[a], self.label[b]
        self.label = {person: keep if label == change else label for person, label in self.label.items()}
        return keep != change

    def together(self, a, b):
        return b in self.circle(a)

    def circle(self, a):
        return sorted(person for person in self.label if self.label[person] == self.label.get(a))

    def count(self):
        return len(set(self.label.values()))


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_objects(solution, "Circles", make_cases(seed), Model), seed)
