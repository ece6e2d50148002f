def is_balanced(text):
    is_open = []
    for letter in text:
        if letter in "([{":
            is_open.append(letter)
        elif letter in ")]}":
            if not is_open or is_open.pop() + letter not in {"()", "[]", "{}"}:
                return False
    return not is_open
