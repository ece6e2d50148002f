"""Compares with an oracle that checks the whole template by one expression, and then replaces."""

import re

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(template, values):
    if not re.fullmatch(r"(?:\{\{|\}\}|\{[A-Za-z0-9_]+\}|[^{}])*", template):
        raise ValueError(template)
    return re.sub(
        r"\{\{|\}\}|\{(\w+)\}", lambda found: values[found[1]] if found[1] else found[0][0], template
    )


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    cases = make_cases(seed)
    return verdict(
        check_calls(solution, "fill_template", cases, oracle, refuses=(ValueError, KeyError)), seed
    )
