"""Compares with an oracle that counts letters in a table, one row a word."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(words):
    alphabet = sorted({letter for word in words for letter in word.lower()})
    rows = [tuple(word.lower().count(letter) for letter in alphabet) for word in words]
    members = {}
    for number, row in enumerate(rows):
        members[row] = [*members.get(row, []), number]
    return [[words[number] for number in group] for group in sorted(members.values(), key=min)]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "group_by_letters", make_cases(seed), oracle), seed)
