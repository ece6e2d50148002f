"""Compares with an oracle that lets Python's own parser read the expression, and walks over its tree."""

import ast
import operator
import re

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def oracle(text):
    if not re.fullmatch(r"[0-9+*/() -]*", text):
        raise ValueError(text)
    tokens = re.findall(r"[0-9]+|[-+*/()]", text)
    # Spaces keep `*` `*` apart, and ints have lost their zeros.
    python = " ".join(str(int(t)) if t.isdigit() else "//" if t == "/" else t for t in tokens)
    try:
        tree = ast.parse(python, mode="eval").body
    except SyntaxError:
        raise ValueError(text) from None
    known = (ast.BinOp, ast.operator, ast.Constant, ast.UnaryOp, ast.USub)
    if not all(isinstance(node, known) for node in ast.walk(tree)):
        raise ValueError(text)
    return work_out(tree)


def work_out(node):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp):
        return -work_out(node.operand)
    return OPERATORS[type(node.op)](work_out(node.left), work_out(node.right))


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    cases = make_cases(seed)
    return verdict(
        check_calls(solution, "evaluate", cases, oracle, refuses=(ValueError, ZeroDivisionError)), seed
    )
