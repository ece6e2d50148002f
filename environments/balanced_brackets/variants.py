"""Cases of several texts each, balanced and not, so that no case is passed by always saying the same."""

import random

EDGES = [
    ("nothing", ["", "(", "abc", ")", "[", "]", "{", "}"]),
    ("kinds", ["()", "[]", "{}", "(]", "[}", "{)", "([)]", "([{}])"]),
    ("order", [")(", "()()", "(()", "())", "][", "}{", "(())[]"]),
    ("quotes", ['"', '""', '"("', '(")")', '("', '")"(', '("")', '"]"[]', '[""']),
    ("other_letters", ["f(a[0], {b})", "f(a[0], {b)}", "<(>)", "a'('", "(\n)", "«(»)"]),
]


def balanced(rng, size):
    if size <= 0:
        return rng.choice(["", "x", '"("', '"]x"'])
    pair = rng.choice(["()", "[]", "{}"])
    split = rng.randint(0, size - 1)
    return pair[0] + balanced(rng, split) + pair[1] + balanced(rng, size - 1 - split)


def damaged(rng, text):
    at = rng.randrange(len(text))
    replacement = rng.choice(["", rng.choice('()[]{}"'), text[at] * 2])
    return text[:at] + replacement + text[at + 1 :]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [(name, [(text,) for text in texts]) for name, texts in EDGES]
    for number in range(10):
        texts = [balanced(rng, rng.randint(1, 9)) for _ in range(6)]
        texts += [damaged(rng, text) for text in texts for _ in range(3)]
        rng.shuffle(texts)
        cases.append((f"random_{number}", [(text,) for text in texts] + [("[()]",), ("[(])",)]))
    deep = "(" * 1_400 + ")" * 1_400
    cases.append(("deep", [(deep,), (deep + ")",), ("[" + deep,)]))
    return cases
