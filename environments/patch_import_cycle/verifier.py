"""Applies the diff, loads the project by either module first, and compares its functions with plain oracles."""

import re

from deepgym_solution import run_seed

from projects import load_patched
from scoring import check_calls, verdict
from variants import make_largest_cases, make_read_cases, make_unit_cases, make_write_cases

SIZES = [("metre", 1000), ("centimetre", 10), ("millimetre", 1)]


def write(amount, unit):
    return f"{amount} {unit}" + ("" if amount == 1 else "s")


def read(text):
    found = re.fullmatch("(0|[1-9][0-9]*) (metre|centimetre|millimetre)(s?)", text)
    if not found or (found[1] == "1") == bool(found[3]):
        raise ValueError(text)
    return [int(found[1]), found[2]]


def largest(millimetres):
    return next(write(millimetres // size, name) for name, size in SIZES if millimetres % size == 0)


def to_millimetres(amount, unit):
    return sum(size for name, size in SIZES if name == unit) * amount


def known(unit):
    return unit in [name for name, _ in SIZES]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    units = load_patched(solution_path, "measure.units")
    cases = check_calls(units, "to_millimetres", make_unit_cases(seed), to_millimetres)
    cases += check_calls(
        units, "known", [("known", [("metre",), ("metres",), ("",), ("mile",), ("millimetre",)])], known
    )
    text = load_patched(solution_path, "measure.text")
    cases += check_calls(text, "plural", [("plural", [("metre",), ("foot",)])], lambda name: f"{name}s")
    cases += check_calls(text, "write", make_write_cases(seed), write)
    cases += check_calls(text, "read", make_read_cases(seed), read, refuses=ValueError)
    cases += check_calls(text, "largest", make_largest_cases(seed), largest)
    return verdict(cases, seed)
