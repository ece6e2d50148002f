class Ledger:
    def __init__(self):
        self.accounts = {}

    def open(self, name):
        if name in self.accounts:
            raise ValueError
        self.accounts[name] = [0, []]

    def deposit(self, name, amount):
        account = self.accounts[name]
        if amount < 1:
            raise ValueError
        account[0] += amount
        account[1].append(["deposit", amount])
        return account[0]

    def transfer(self, source, target, amount):
        giver = self.accounts[source]
        if amount < 1 or amount > giver[0] or source == target:
            raise ValueError
        giver[0] -= amount
        giver[1].append(["to", target, amount])
        self.accounts[target][0] += amount
        self.accounts[target][1].append(["from", source, amount])
        return giver[0]

    def balance(self, name):
        return self.accounts[name][0]

    def history(self, name):
        return self.accounts[name][1]

    def richest(self):
        return max(self.accounts, key=lambda name: self.accounts[name][0], default=None)
