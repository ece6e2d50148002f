class Editor:
    def __init__(self, text):
        self._text = list(text)
        self._changes = []
        self._made = 0

    def text(self):
        return "".join(self._text)

    def insert(self, at, words):
        if at < 0 or at > len(self._text):
            raise IndexError(at)
        self._record((at, "", words))

    def delete(self, start, end):
        if start < 0 or end < start or end > len(self._text):
            raise IndexError((start, end))
        words = "".join(self._text[start:end])
        self._record((start, words, ""))
        return words

    def _record(self, change):
        if change[1] != change[2]:
            del self._changes[self._made :]
            self._changes.append(change)
            self.redo()

    def undo(self):
        if self._made == 0:
            return False
        self._made -= 1
        at, old, new = self._changes[self._made]
        self._text[at : at + len(new)] = old
        return True

    def redo(self):
        if self._made == len(self._changes):
            return False
        at, old, new = self._changes[self._made]
        self._text[at : at + len(old)] = new
        self._made += 1
        return True
