"""Scripts of calls: fixed ones for each rule, then random ones with positions around both ends."""

import random

FIXED = [
    ("undo_and_redo", ("abc",), "i3d u t r t u u t r r t"),
    ("nothing_yet", ("x",), "t u r t"),
    ("new_change_ends_redo", ("abc",), "i0d u i0e r t u t u t"),
    ("empty_changes", ("abc",), "i0d u i0 x1,1 r t u t i2 u"),
    ("refused", ("abc",), "i0d u i9d i-1d x0,9 x2,1 x-1,2 r t x4,4 x5,5 u t"),
    ("deletions", ("abcdef",), "x0,2 t x1,3 t u t u t r t x0,3 r t u u t"),
    ("empty_text", ("",), "t x0,0 i0ab t x0,2 t u t u t u r r t"),
]


def read_calls(script):
    calls = []
    for word in script.split():
        kind, rest = word[0], word[1:]
        if kind == "i":
            digits = rest.rstrip("abcdefgh")
            calls.append(("insert", int(digits), rest[len(digits) :]))
        elif kind == "x":
            calls.append(("delete", *map(int, rest.split(","))))
        else:
            calls.append(({"u": "undo", "r": "redo", "t": "text"}[kind],))
    return calls


def make_cases(seed):
    rng = random.Random(seed)
    cases = [(name, args, [("text",), *read_calls(script)]) for name, args, script in FIXED]
    for number in range(12):
        text, length = "start", 5
        calls = [("text",)]
        for _ in range(60):
            kind = rng.choice(["insert", "insert", "delete", "undo", "undo", "redo", "redo", "text"])
            if kind == "insert":
                words = rng.choice(["", "a", "bc", "def"])
                calls.append(("insert", rng.randint(-1, length + 2), words))
                length += len(words)
            elif kind == "delete":
                start = rng.randint(-1, max(length, 1))
                calls.append(("delete", start, start + rng.randint(-1, 3)))
            else:
                calls.append((kind,))
            if kind != "text":
                calls.append(("text",))
        cases.append((f"random_{number}", (text,), calls))
    return cases
