"""Folders with equal files, empty ones, names that sort in odd ways, and manifests in several places."""

import random

EDGES = [
    {},
    {"a.txt": ""},
    {"a": "x", "b": "x"},
    {"a/b": "1", "a.b": "2", "a-b": "3", "A": "4", "é/ü": "é"},
    {"MANIFEST.txt": "old\n", "x": "1"},
    {"sub/MANIFEST.txt": "deep\n", "sub/sub/MANIFEST.txt": ""},
    {".hidden": "h", "with space": "s", "manifest.txt": "m"},
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [{name: text for name, text in files.items()} for files in EDGES])]
    for number in range(8):
        files = {}
        for _ in range(rng.randint(3, 14)):
            depth = rng.randint(0, 3)
            path = "/".join(
                [
                    *(rng.choice(["d", "e", "lib"]) for _ in range(depth)),
                    f"{rng.choice('abc')}{rng.randint(0, 99)}.txt",
                ]
            )
            files[path] = rng.choice(
                ["", "same", "x" * rng.randint(1, 5_000), "line\r\n" * 3, str(rng.random())]
            )
        if rng.random() < 0.5:
            files["lib/MANIFEST.txt"] = "inner"
        # An old manifest, with neighbours on both sides of it in any order that a folder may have.
        files |= {"A.txt": "a", "MANIFEST.txt": "old\n", "z.txt": "z"}
        cases.append((f"random_{number}", files))
    return cases
