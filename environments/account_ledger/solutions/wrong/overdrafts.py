class Ledger:
    def __init__(self):
        self.money, self.log = {}, {}

    def open(self, name):
        if name in self.money:
            raise ValueError
        self.money[name], self.log[name] = 0, []

    def deposit(self, name, amount):
        if amount < 1 and name in self.money:
            raise ValueError
        self.money[name] += amount
        self.log[name].append(["deposit", amount])
        return self.money[name]

    def transfer(self, source, target, amount):
        self.money[source], self.money[target]
        if amount < 1 or source == target:
            raise ValueError
        self.money[source] -= amount
        self.money[target] += amount
        self.log[source].append(["to", target, amount])
        self.log[target].append(["from", source, amount])
        return self.money[source]

    def balance(self, name):
        return self.money[name]

    def history(self, name):
        return self.log[name]

    def richest(self):
        return max(self.money, key=self.money.get, default=None)
