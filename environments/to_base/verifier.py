"""Reads the digits back: in every base there is just one text without leading zeros that stands for the number."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def oracle(number, base):
    if not 2 <= abs(base) <= 36:
        raise ValueError(base)
    return number, base


def differ(text, expected):
    number, base = expected
    if type(text) is not str:
        return f"the result is a {type(text).__name__}, not a str"
    digits = text.removeprefix("-") if base > 0 > number else text
    if not digits or not set(digits) <= set(DIGITS[: abs(base)]):
        return f"{text!r} does not consist of digits of base {base}"
    if digits[0] == "0" and digits != "0":
        return f"{text!r} has leading zeros"
    value = 0
    for digit in digits:
        value = value * base + DIGITS.index(digit)
    value = -value if digits != text else value
    return None if value == number else f"{text!r} stands for {value}, not {number}"


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    cases = check_calls(solution, "to_base", make_cases(seed), oracle, refuses=ValueError, differ=differ)
    return verdict(cases, seed)
