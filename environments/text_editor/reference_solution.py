class Editor:
    def __init__(self, text):
        self.current = text
        self.done = []
        self.undone = []

    def text(self):
        return self.current

    def insert(self, at, words):
        if not 0 <= at <= len(self.current):
            raise IndexError(f"{at} lies outside the text")
        self.change(self.current[:at] + words + self.current[at:])

    def delete(self, start, end):
        if not 0 <= start <= end <= len(self.current):
            raise IndexError(f"{start} to {end} lies outside the text")
        removed = self.current[start:end]
        self.change(self.current[:start] + self.current[end:])
        return removed

    def undo(self):
        if not self.done:
            return False
        self.undone.append(self.current)
        self.current = self.done.pop()
        return True

    def redo(self):
        if not self.undone:
            return False
        self.done.append(self.current)
        self.current = self.undone.pop()
        return True

    def change(self, text):
        if len(text) != len(self.current):
            self.done.append(self.current)
            self.undone.clear()
            self.current = text
