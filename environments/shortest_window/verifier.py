"""Compares with an oracle that looks up, for every start, where the last letter that is needed comes."""

from collections import Counter

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(text, letters):
    places = {letter: [at for at, other in enumerate(text) if other == letter] for letter in set(letters)}
    need = Counter(letters)
    passed = dict.fromkeys(need, 0)
    windows = []
    for start in range(len(text)):
        for letter in need:
            while passed[letter] < len(places[letter]) and places[letter][passed[letter]] < start:
                passed[letter] += 1
        if all(passed[letter] + need[letter] <= len(places[letter]) for letter in need):
            end = max(
                (places[letter][passed[letter] + need[letter] - 1] for letter in need), default=start - 1
            )
            windows.append((end + 1 - start, start))
    length, start = min(windows, default=(0, 0))
    return text[start : start + length]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "shortest_window", make_cases(seed), oracle), seed)
