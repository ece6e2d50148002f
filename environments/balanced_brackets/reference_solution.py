CLOSES = {")": "(", "]": "[", "}": "{"}


def is_balanced(text):
    is_open = []
    quoted = False
    for letter in text:
        if letter == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([{":
            is_open.append(letter)
        elif letter in CLOSES:
            if not is_open or is_open.pop() != CLOSES[letter]:
                return False
    return not is_open and not quoted
