"""Compares with an oracle that asks, line by line, how many of the words that are left fit."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(text, width):
    pieces = [word[at : at + width] for word in text.split() for at in range(0, len(word), width)]
    lines = []
    while pieces:
        count = max(n for n in range(1, min(width, len(pieces)) + 1) if len(" ".join(pieces[:n])) <= width)
        lines.append(" ".join(pieces[:count]))
        pieces = pieces[count:]
    return lines


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "wrap_text", make_cases(seed), oracle), seed)
