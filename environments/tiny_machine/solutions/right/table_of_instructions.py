import sys


def number(word):
    if not word.removeprefix("-").isdecimal() or not word.isascii():
        raise ValueError(word)
    return int(word)


class Machine:
    def __init__(self, lines):
        self.lines, self.at, self.names = lines, 0, {}

    def value(self, word):
        return self.names[word] if is_name(word) else number(word)

    def count(self, word):
        if word.startswith("-"):
            raise ValueError(word)
        return number(word)

    def set(self, name, word):
        self.names[check_name(name)] = self.value(word)

    def add(self, name, word):
        value = self.value(word)
        self.names[name] = self.names[check_name(name)] + value

    def mul(self, name, word):
        value = self.value(word)
        self.names[name] = self.names[check_name(name)] * value

    def show(self, word):
        sys.stdout.write(f"{self.value(word)}\n")

    def skip(self, word, count):
        value, count = self.value(word), self.count(count)
        self.at += count if value == 0 else 0

    def back(self, word, count):
        value, count = self.value(word), self.count(count)
        if value > 0:
            if self.at - count < 0:
                raise ValueError(count)
            self.at -= count + 1

    def run(self):
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line:
                words = line.split(" ")
                if words[0] not in ("set", "add", "mul", "show", "skip", "back"):
                    raise ValueError(line)
                getattr(self, words[0])(*words[1:])
            self.at += 1


def is_name(word):
    return len(word) == 1 and "a" <= word <= "z"


def check_name(word):
    if not is_name(word):
        raise ValueError(word)
    return word


machine = Machine(sys.stdin.read().split("\n"))
try:
    machine.run()
except (KeyError, ValueError, TypeError):
    print("error in line", machine.at + 1)
    sys.exit(1)
