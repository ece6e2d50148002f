class PrefixIndex:
    def __init__(self):
        self.words = {}

    def add(self, word):
        self.words[word] = self.words.get(word, 0) + 1
        return self.words[word]

    def remove(self, word):
        self.words[word] -= 1
        return self.words[word] or self.words.pop(word)

    def count(self, prefix):
        return sum(word.startswith(prefix) for word in self.words)

    def first(self, prefix, limit):
        return sorted(word for word in self.words if word.startswith(prefix))[:limit]

    def longest_common(self, word):
        return max(
            (word[:end] for end in range(len(word) + 1) if self.count(word[:end])), key=len, default=""
        )
