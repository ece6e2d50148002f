"""Compares with an oracle that packs by `groupby` and unpacks by a regular expression."""

import re
from itertools import groupby

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_pack_cases, make_unpack_cases


def pack(text):
    runs = [(letter, len(list(run))) for letter, run in groupby(text)]
    return "".join(f"#{n}:{letter}" if n > 3 or letter == "#" else letter * n for letter, n in runs)


def unpack(packed):
    if not re.fullmatch(r"(#[0-9]+:.|[^#])*", packed, re.DOTALL):
        raise ValueError(packed)
    pieces = re.findall(r"#([0-9]+):(.)|([^#])", packed, re.DOTALL)
    text = "".join(plain or letter * int(count) for count, letter, plain in pieces)
    if pack(text) != packed:
        raise ValueError(packed)
    return text


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    cases = check_calls(solution, "pack", make_pack_cases(seed), pack)
    cases += check_calls(solution, "unpack", make_unpack_cases(seed), unpack, refuses=ValueError)
    return verdict(cases, seed)
