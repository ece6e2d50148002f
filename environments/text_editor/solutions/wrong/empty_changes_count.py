class Editor:
    def __init__(self, text):
        self.states, self.at = [text], 0

    def text(self):
        return self.states[self.at]

    def _go(self, text):
        self.states[self.at + 1 :] = [text]
        self.at += 1

    def insert(self, at, words):
        now = self.text()
        if not 0 <= at <= len(now):
            raise IndexError
        self._go(now[:at] + words + now[at:])

    def delete(self, start, end):
        now = self.text()
        if not 0 <= start <= end <= len(now):
            raise IndexError
        self._go(now[:start] + now[end:])
        return now[start:end]

    def undo(self):
        self.at -= self.at > 0
        return self.at > 0

    def redo(self):
        if self.at + 1 == len(self.states):
            return False
        self.at += 1
        return True
