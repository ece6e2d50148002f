from collections import Counter


def shortest_window(text, letters):
    need, have = Counter(letters), Counter()
    best, start = "", 0
    for end, letter in enumerate(text):
        have[letter] += 1
        while letters and have >= need:
            window = text[start : end + 1]
            if not best or len(window) <= len(best):
                best = window
            have[text[start]] -= 1
            start += 1
    return best
