def is_balanced(text):
    parts = text.split('"')
    if len(parts) % 2 == 0:
        return False
    expected = ["end"]
    for letter in "".join(parts[::2]):
        position = "([{".find(letter)
        if position >= 0:
            expected.append(")]}"[position])
        elif letter in ")]}" and expected.pop() != letter:
            return False
    return expected == ["end"]
