"""Compares with an oracle that removes quoted parts, and then empty pairs until none is left."""

import re

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(text):
    text = re.sub(r'"[^"]*"', "", text)
    if '"' in text:
        return False
    brackets = re.sub(r"[^()\[\]{}]", "", text)
    while True:
        shorter = re.sub(r"\((?:\(\))*\)|\[\]|\{\}", "", brackets)
        if shorter == brackets:
            return not brackets
        brackets = shorter


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "is_balanced", make_cases(seed), oracle), seed)
