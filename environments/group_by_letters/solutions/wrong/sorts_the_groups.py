def group_by_letters(words):
    groups = {}
    for word in words:
        groups.setdefault("".join(sorted(word.lower())), []).append(word)
    return sorted(sorted(group) for group in groups.values())
