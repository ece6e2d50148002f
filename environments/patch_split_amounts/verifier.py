"""Applies the diff, loads the project by both modules, and compares with an oracle that deals out single cents."""

from fractions import Fraction

from deepgym_solution import run_seed

from projects import load_patched
from scoring import check_calls, verdict
from variants import make_share_cases, make_split_cases


def split(amount, weights):
    exact = [Fraction(amount * weight, sum(weights)) for weight in weights]
    shares = [int(part) for part in exact]
    lost = [part - share for part, share in zip(exact, shares, strict=True)]
    while sum(shares) < amount:
        lucky = lost.index(max(lost))
        shares[lucky] += 1
        lost[lucky] = Fraction(-1)
    return shares


def share(amount, people):
    return split(amount, [1] * people)


def total(lines):
    return sum(pieces * price for _, pieces, price in lines)


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    cases = check_calls(load_patched(solution_path, "flat.split"), "split", make_split_cases(seed), split)
    invoice = load_patched(solution_path, "flat.invoice")
    cases += check_calls(invoice, "share", make_share_cases(seed), share)
    # What worked before has to work still; no case of its own, since nothing needs to be done for it.
    kept = check_calls(invoice, "total", [("total", [([["tea", 2, 350], ["rye", 1, 99]],), ([],)])], total)
    return verdict([*cases, *(case for case in kept if not case["passed"])], seed)
