from collections import Counter


def group_by_letters(words):
    place, groups = {}, []
    for word in words:
        letters = frozenset(Counter(word.lower()).items())
        if letters not in place:
            place[letters] = len(groups)
            groups.append([])
        groups[place[letters]].append(word)
    return groups
