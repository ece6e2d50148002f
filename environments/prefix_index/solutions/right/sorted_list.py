from bisect import bisect_left, insort
from os.path import commonprefix


class PrefixIndex:
    def __init__(self):
        self._words = []

    def _matching(self, prefix):
        at = bisect_left(self._words, prefix)
        while at < len(self._words) and self._words[at].startswith(prefix):
            yield self._words[at]
            at += 1

    def add(self, word):
        insort(self._words, word)
        return self._words.count(word)

    def remove(self, word):
        if word not in self._words:
            raise KeyError(word)
        self._words.remove(word)
        return self._words.count(word)

    def count(self, prefix):
        return sum(1 for _ in self._matching(prefix))

    def first(self, prefix, limit):
        return list(dict.fromkeys(self._matching(prefix)))[:limit]

    def longest_common(self, word):
        return max((commonprefix([word, other]) for other in self._words), key=len, default="")
