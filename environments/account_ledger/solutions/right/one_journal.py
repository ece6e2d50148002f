class Ledger:
    def __init__(self):
        self._names = []
        self._journal = []

    def open(self, name):
        if name in self._names:
            raise ValueError(name)
        self._names.append(name)

    def _check(self, *names):
        for name in names:
            if name not in self._names:
                raise KeyError(name)

    def balance(self, name):
        self._check(name)
        return sum(amount * ((target == name) - (source == name)) for source, target, amount in self._journal)

    def deposit(self, name, amount):
        self._check(name)
        if amount <= 0:
            raise ValueError(amount)
        self._journal.append((None, name, amount))
        return self.balance(name)

    def transfer(self, source, target, amount):
        self._check(source, target)
        if source == target or not 0 < amount <= self.balance(source):
            raise ValueError(amount)
        self._journal.append((source, target, amount))
        return self.balance(source)

    def history(self, name):
        self._check(name)
        found = []
        for source, target, amount in self._journal:
            if target == name:
                found.append(["deposit", amount] if source is None else ["from", source, amount])
            elif source == name:
                found.append(["to", target, amount])
        return found

    def richest(self):
        best = None
        for name in self._names:
            if best is None or self.balance(name) > self.balance(best):
                best = name
        return best
