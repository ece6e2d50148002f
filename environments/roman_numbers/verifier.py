"""Compares output and exit code with an oracle that writes and reads numbers digit by digit."""

import re

from deepgym_solution import run_seed

from programs import check_program
from scoring import verdict
from variants import make_cases

# One digit, as the signs for 1, 5 and 10 of its place write it.
FORMS = ["", "0", "00", "000", "01", "1", "10", "100", "1000", "02"]


def write(number):
    places = zip(reversed(str(number)), ("IVX", "XLC", "CDM", "M"), strict=False)
    return "".join(
        re.sub(r"\d", lambda sign: signs[int(sign[0])], FORMS[int(d)]) for d, signs in list(places)[::-1]
    )


ALL = {write(number): number for number in range(1, 4000)}


def oracle(args, stdin):
    lines = []
    for argument in args:
        if re.fullmatch("[0-9]+", argument):
            lines.append(write(int(argument)) if 1 <= int(argument) <= 3999 else "?")
        else:
            lines.append(str(ALL.get(argument.upper(), "?")) if argument.isascii() else "?")
    return int("?" in lines), "".join(f"{line}\n" for line in lines)


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_program(solution_path, make_cases(seed), oracle), seed)
