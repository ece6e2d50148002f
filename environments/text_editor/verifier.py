"""Takes the solution's object and a plain model through the same calls."""

from deepgym_solution import load_solution, run_seed

from scoring import check_objects, verdict
from variants import make_cases


class Model:
    """All texts there have been since the start, and which of them is the one now."""

    def __init__(self, text):
        self.texts, self.now = [text], 0

    def text(self):
        return self.texts[self.now]

    def insert(self, at, words):
        self.replace(at, at, words)

    def delete(self, start, end):
        return self.replace(start, end, "")

    def replace(self, start, end, words):
        if start < 0 or start > end or end > len(self.text()):
            raise IndexError(start, end)
        old = self.text()[start:end]
        if old or words:
            following = self.text()[:start] + words + self.text()[end:]
            self.texts = [*self.texts[: self.now + 1], following]
            self.now += 1
        return old

    def undo(self):
        return self.move(-1)

    def redo(self):
        return self.move(1)

    def move(self, step):
        possible = 0 <= self.now + step < len(self.texts)
        self.now += step if possible else 0
        return possible


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_objects(solution, "Editor", make_cases(seed), Model, refuses=IndexError), seed)
