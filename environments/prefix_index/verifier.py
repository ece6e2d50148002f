"""Takes the solution's object and a plain model through the same calls."""

from deepgym_solution import load_solution, run_seed

from scoring import check_objects, verdict
from variants import make_cases


class Model:
    """A list of words, looked through for every question."""

    def __init__(self):
        self.words = []

    def add(self, word):
        self.words.append(word)
        return self.words.count(word)

    def remove(self, word):
        if word not in self.words:
            raise KeyError(word)
        self.words.remove(word)
        return self.words.count(word)

    def matching(self, prefix):
        return [word for word in self.words if word[: len(prefix)] == prefix]

    def count(self, prefix):
        return len(self.matching(prefix))

    def first(self, prefix, limit):
        return sorted(set(self.matching(prefix)))[:limit]

    def longest_common(self, word):
        ends = [end for end in range(len(word) + 1) if self.matching(word[:end])]
        return word[: max(ends, default=0)]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_objects(solution, "PrefixIndex", make_cases(seed), Model, refuses=KeyError), seed)
