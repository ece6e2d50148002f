"""Compares every file that has to be there with an oracle that filters the log once for each day."""

import re

from deepgym_solution import run_seed

from programs import check_files
from scoring import verdict
from variants import make_cases

STAMP = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}(?=T)")


def oracle(files):
    lines = files["app.log"].splitlines(keepends=True)
    days = sorted({STAMP.match(line)[0] for line in lines if STAMP.match(line)})
    expected = {"rest.log": "".join(line for line in lines if not STAMP.match(line)), "summary.txt": ""}
    for day in days:
        own = [line for line in lines if line.startswith(f"{day}T")]
        errors = [line for line in own if re.search(r"(?<!\S)ERROR(?!\S)", line)]
        expected[f"days/{day}.log"] = "".join(own)
        expected["summary.txt"] += f"{day} {len(own)} {len(errors)}\n"
    return expected


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_files(solution_path, make_cases(seed), oracle), seed)
