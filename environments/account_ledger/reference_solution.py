class Ledger:
    def __init__(self):
        self.balances = {}
        self.movements = {}

    def open(self, name):
        if name in self.balances:
            raise ValueError(f"{name} is open already")
        self.balances[name] = 0
        self.movements[name] = []

    def deposit(self, name, amount):
        self.find(name)
        if amount < 1:
            raise ValueError("an amount is at least 1")
        self.balances[name] += amount
        self.movements[name].append(["deposit", amount])
        return self.balances[name]

    def transfer(self, source, target, amount):
        self.find(source)
        self.find(target)
        if amount < 1 or amount > self.balances[source] or source == target:
            raise ValueError("this cannot be transferred")
        self.balances[source] -= amount
        self.balances[target] += amount
        self.movements[source].append(["to", target, amount])
        self.movements[target].append(["from", source, amount])
        return self.balances[source]

    def balance(self, name):
        self.find(name)
        return self.balances[name]

    def history(self, name):
        self.find(name)
        return [list(movement) for movement in self.movements[name]]

    def richest(self):
        return max(self.balances, key=self.balances.get, default=None)

    def find(self, name):
        if name not in self.balances:
            raise KeyError(name)
