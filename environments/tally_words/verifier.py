"""Compares the printed lines with an oracle that blanks out everything but letters."""

import string

from deepgym_solution import run_seed

from programs import check_program
from scoring import verdict
from variants import make_cases


def oracle(args, text):
    kept = "".join(letter.lower() if letter in string.ascii_letters else " " for letter in text).split()
    ranked = sorted(sorted(set(kept)), key=kept.count, reverse=True)
    return 0, "".join(f"{word} {kept.count(word)}\n" for word in ranked) + f"total {len(kept)}\n"


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_program(solution_path, make_cases(seed), oracle), seed)
