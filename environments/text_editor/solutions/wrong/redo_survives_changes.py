class Editor:
    def __init__(self, text):
        self.now, self.past, self.future = text, [], []

    def text(self):
        return self.now

    def insert(self, at, words):
        if not 0 <= at <= len(self.now):
            raise IndexError
        if words:
            self.past.append(self.now)
            self.now = self.now[:at] + words + self.now[at:]

    def delete(self, start, end):
        if not 0 <= start <= end <= len(self.now):
            raise IndexError
        words = self.now[start:end]
        if words:
            self.past.append(self.now)
            self.now = self.now[:start] + self.now[end:]
        return words

    def undo(self):
        if not self.past:
            return False
        self.future.append(self.now)
        self.now = self.past.pop()
        return True

    def redo(self):
        if not self.future:
            return False
        self.past.append(self.now)
        self.now = self.future.pop()
        return True
