"""Texts whose runs lie around the limit of four, and packed texts that are right, broken, or not what pack writes."""

import random
import re

TEXTS = ["", "a", "aaa", "aaaa", "##", "#", "a#a", "4444:4", "#4:a", "\n\n\n\n\nb", "ééééé#é"]
PACKED = [
    "",
    "aaa",
    "aaaa",
    "#4:a",
    "#3:a",
    "#1:#",
    "#0:#",
    "#04:a",
    "#",
    "#4",
    "#4:",
    "#:a",
    "#-4:a",
    "#4:aa",
    "a#4:a",
    "#4:a#4:a",
    "#4:ab#5:a",
    "#4a",
    "#+5:x",
    "#٤:a",
    "#10::#4:4",
    "# 4:a",
    "#4:aaaa",
]


def random_text(rng, alphabet):
    return "".join(
        rng.choice(alphabet) * rng.choice([1, 1, 2, 3, 4, 5, 12]) for _ in range(rng.randint(1, 8))
    )


def make_pack_cases(seed):
    rng = random.Random(seed)
    cases = [("edges", [(text,) for text in TEXTS])]
    for number in range(10):
        alphabet = rng.choice(["ab", "a#", "#:4", "xyz\n"])
        texts = [random_text(rng, alphabet) for _ in range(8)]
        cases.append((f"random_{number}", [(text,) for text in texts] + [("=" * rng.randint(4, 300),)]))
    return cases


def make_unpack_cases(seed):
    rng = random.Random(seed + 1)
    cases = [("edges", [(packed,) for packed in PACKED])]
    for number in range(10):
        alphabet = rng.choice(["#4:a", "#5a:", "#1:", "#:73#b"])
        packed = ["".join(rng.choice(alphabet) for _ in range(rng.randint(1, 9))) for _ in range(40)]
        packed = [text for text in packed if not re.search(r"\d{5}", text)]
        good = [f"{rng.choice('xyz')}#{rng.randint(4, 40)}:{rng.choice('ab#')}" for _ in range(6)]
        cases.append((f"random_{number}", [(text,) for text in packed + good]))
    return cases
