class PrefixIndex:
    def __init__(self):
        self.words = []

    def add(self, word):
        self.words.append(word)
        return self.words.count(word)

    def remove(self, word):
        if word not in self.words:
            raise KeyError(word)
        self.words = [other for other in self.words if other != word]
        return 0

    def count(self, prefix):
        return sum(word.startswith(prefix) for word in self.words)

    def first(self, prefix, limit):
        return sorted({word for word in self.words if word.startswith(prefix)})[:limit]

    def longest_common(self, word):
        for end in range(len(word), -1, -1):
            if self.count(word[:end]):
                return word[:end]
        return ""
