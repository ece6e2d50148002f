"""Compares the printed lines with an oracle that goes through the cells one by one."""

from deepgym_solution import run_seed

from programs import check_program
from scoring import verdict
from variants import make_cases

DIGITS = set("0123456789")


def oracle(args, text):
    names, *rows = [line.split(";") for line in text.split("\n") if line.strip()]
    output = ""
    for at, name in enumerate(names):
        cells = [row[at].strip() for row in rows]
        is_sum = all(cell == "" or (cell != "-" and set(cell.removeprefix("-")) <= DIGITS) for cell in cells)
        result = sum(int(cell) for cell in cells if cell) if is_sum else "text"
        output += f"{name.strip()}: {result}\n"
    return 0, output


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_program(solution_path, make_cases(seed), oracle), seed)
