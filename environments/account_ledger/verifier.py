"""Takes the solution's object and a plain model through the same calls."""

from deepgym_solution import load_solution, run_seed

from scoring import check_objects, verdict
from variants import make_cases


class Model:
    """Histories only: balances are worked out from them."""

    def __init__(self):
        self.accounts = {}

    def open(self, name):
        if name in self.accounts:
            raise ValueError(name)
        self.accounts[name] = []

    def balance(self, name):
        return sum(-move[-1] if move[0] == "to" else move[-1] for move in self.accounts[name])

    def deposit(self, name, amount):
        moves = self.accounts[name]
        if amount < 1:
            raise ValueError(amount)
        moves.append(["deposit", amount])
        return self.balance(name)

    def transfer(self, source, target, amount):
        giving, taking = self.accounts[source], self.accounts[target]
        if source == target or amount not in range(1, self.balance(source) + 1):
            raise ValueError(amount)
        giving.append(["to", target, amount])
        taking.append(["from", source, amount])
        return self.balance(source)

    def history(self, name):
        return self.accounts[name]

    def richest(self):
        ranked = sorted(self.accounts, key=self.balance, reverse=True)
        return ranked[0] if ranked else None


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(
        check_objects(solution, "Ledger", make_cases(seed), Model, refuses=(ValueError, KeyError)), seed
    )
