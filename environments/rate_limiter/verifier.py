"""Takes the solution's object and a plain model through the same calls."""

from deepgym_solution import load_solution, run_seed

from scoring import check_objects, verdict
from variants import make_cases


class Model:
    """All requests that have passed, counted anew for every question; waiting is tried step by step."""

    def __init__(self, limit, window):
        self.limit, self.window, self.passed = limit, window, []

    def may_pass(self, client, time):
        return sum(who == client and when > time - self.window for who, when in self.passed) < self.limit

    def allow(self, client, time):
        if not self.may_pass(client, time):
            return False
        self.passed.append((client, time))
        return True

    def wait(self, client, time):
        return next(w for w in range(self.window + 1) if self.may_pass(client, time + w))


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_objects(solution, "RateLimiter", make_cases(seed), Model), seed)
