def shortest_window(text, letters):
    best = ""
    for start in range(len(text)):
        seen = set()
        for end in range(start, len(text)):
            seen.add(text[end])
            if set(letters) <= seen:
                if not best or end - start + 1 < len(best):
                    best = text[start : end + 1]
                break
    return best if letters else ""
