def is_balanced(text):
    outside = "".join(text.split('"')[::2])
    return text.count('"') % 2 == 0 and all(
        outside.count(a) == outside.count(b) for a, b in ("()", "[]", "{}")
    )
