from collections import Counter


def shortest_window(text, letters):
    missing = Counter(letters)
    lacking = len(letters)
    best_start, best_end = 0, 0
    start = 0
    for end, letter in enumerate(text, 1):
        if missing[letter] > 0:
            lacking -= 1
        missing[letter] -= 1
        while lacking == 0 and start < end:
            if best_end == 0 or end - start < best_end - best_start:
                best_start, best_end = start, end
            missing[text[start]] += 1
            if missing[text[start]] > 0:
                lacking += 1
            start += 1
    return text[best_start:best_end] if letters else ""
