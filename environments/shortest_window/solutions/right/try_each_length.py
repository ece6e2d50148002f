from collections import Counter


def shortest_window(text, letters):
    need = Counter(letters)

    def first_of(length):
        have, short = Counter(), len(need)
        for end, letter in enumerate(text):
            have[letter] += 1
            short -= have[letter] == need.get(letter)
            if end >= length:
                old = text[end - length]
                short += have[old] == need.get(old)
                have[old] -= 1
            if end >= length - 1 and short == 0:
                return end - length + 1
        return None

    if not letters or first_of(len(text)) is None:
        return ""
    low, high = len(letters), len(text)
    while low < high:
        middle = (low + high) // 2
        if first_of(middle) is None:
            low = middle + 1
        else:
            high = middle
    at = first_of(low)
    return text[at : at + low]
