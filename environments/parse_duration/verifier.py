"""Compares with an oracle that takes parts off the front, one unit after the other."""

import re

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(text):
    left, total = text, 0
    for unit, seconds in (("d", 24 * 60 * 60), ("h", 60 * 60), ("m", 60), ("s", 1)):
        part = re.match(f"([0-9]+){unit}", left)
        if part:
            if str(int(part[1])) != part[1]:
                raise ValueError(text)
            total += int(part[1]) * seconds
            left = left[part.end() :]
    if left or not text:
        raise ValueError(text)
    return total


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(
        check_calls(solution, "parse_duration", make_cases(seed), oracle, refuses=ValueError), seed
    )
