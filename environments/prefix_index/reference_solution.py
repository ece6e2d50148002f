class PrefixIndex:
    def __init__(self):
        self.times = {}
        self.beginnings = {"": 0}

    def add(self, word):
        self.times[word] = self.times.get(word, 0) + 1
        for end in range(len(word) + 1):
            self.beginnings[word[:end]] = self.beginnings.get(word[:end], 0) + 1
        return self.times[word]

    def remove(self, word):
        if word not in self.times:
            raise KeyError(word)
        for end in range(len(word) + 1):
            self.beginnings[word[:end]] -= 1
        self.times[word] -= 1
        if self.times[word] == 0:
            del self.times[word]
        return self.times.get(word, 0)

    def count(self, prefix):
        return self.beginnings.get(prefix, 0)

    def first(self, prefix, limit):
        return sorted(word for word in self.times if word.startswith(prefix))[:limit]

    def longest_common(self, word):
        end = 0
        while end < len(word) and self.count(word[: end + 1]):
            end += 1
        return word[:end]
