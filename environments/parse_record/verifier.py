"""Compares with an oracle that describes a field by a regular expression."""

import re

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases

FIELD = re.compile(r'"((?:[^"]|"")*)"(?=,|\Z)|([^",]*)(?=,|\Z)')


def oracle(line):
    fields, at = [], 0
    while at <= len(line):
        found = FIELD.match(line, at)
        if not found:
            raise ValueError(line)
        quoted, plain = found.groups()
        fields.append(plain if quoted is None else quoted.replace('""', '"'))
        at = found.end() + 1
    return fields


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "parse_record", make_cases(seed), oracle, refuses=ValueError), seed)
