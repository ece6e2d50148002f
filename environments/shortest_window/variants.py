"""Searches that find nothing are one case together; the others always have a window."""

import random

NOTHING = [("", ""), ("abc", ""), ("", "a"), ("abc", "aa"), ("abab", "abc"), ("aBc", "b"), ("zzz", "zzzz")]
EDGES = [
    ("a", "a"),
    ("aa", "aa"),
    ("abcbcaab", "aab"),
    ("xaybxa", "ab"),
    ("abba", "ba"),
    ("aaab", "ab"),
    ("baaa", "ab"),
    ("abcxxcba", "abc"),
    ("aXbA", "AX"),
    ("aabbcc", "aabbcc"),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("nothing_found", NOTHING), ("edges", EDGES)]
    for number in range(16):
        alphabet = rng.choice(["ab", "abc", "abcdef"])
        text = "".join(rng.choice(alphabet) for _ in range(rng.randint(12, 60)))
        letters = "".join(rng.sample(text, rng.randint(5, 8)))
        cases.append((f"random_{number}", [(text, letters), (text, letters[:3])]))
    long_text = "".join(rng.choice("aaaaabbbc") for _ in range(20_000))
    cases.append(("long", (long_text, "ccccbab")))
    return cases
