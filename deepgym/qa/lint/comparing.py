"""How a verifier compares and counts: DG103, DG104, DG105, DG106, DG113."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepgym.qa.lint.taint import Function, ModuleTaint, called_name

__all__ = ["find"]

Found = tuple[str, ast.expr | ast.stmt, str]

_SEARCHES = {"find", "startswith", "endswith", "index", "count"}
_KEY_WORDS = ("expect", "answer", "want", "target", "key", "correct", "right", "word", "needle")
_EQUAL = (ast.Eq, ast.NotEq)


def find(taint: ModuleTaint) -> Iterator[Found]:
    """Findings of these rules."""
    for function in taint.functions:
        nodes = list(taint.statements(function))
        checks_types = _checked_types(nodes)
        compares_lengths = _compares_lengths(nodes)
        is_finite = any(
            isinstance(node, ast.Call) and called_name(node.func) in {"isfinite", "isclose", "isnan"}
            for node in nodes
        )
        for node in nodes:
            if isinstance(node, ast.Compare):
                yield from _compared(taint, node, checks_types)
                yield from _substring(taint, node)
                if not is_finite:
                    yield from _tolerance(taint, node)
            elif isinstance(node, ast.BinOp | ast.AugAssign):
                yield from _divided(taint, node, function)
            elif isinstance(node, ast.Call):
                if not compares_lengths:
                    yield from _zipped(taint, node)
                yield from _searched(taint, node)


def _compared(taint: ModuleTaint, node: ast.Compare, checks_types: bool) -> Iterator[Found]:
    if checks_types:
        return
    sides = [node.left, *node.comparators]
    for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
        loose_in = isinstance(operator, ast.In | ast.NotIn) and _holds_numbers(right)
        if not isinstance(operator, _EQUAL) and not (loose_in and taint.kind(left) == "value"):
            continue
        kinds = {taint.kind(left), taint.kind(right)}
        if "value" in kinds and not any(map(_has_one_type, (left, right))):
            yield "DG103", node, "the solution's value is compared without its type"


def _holds_numbers(node: ast.expr) -> bool:
    parts = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else []
    return any(isinstance(part, ast.Constant) and type(part.value) in {bool, int, float} for part in parts)


def _has_one_type(node: ast.expr) -> bool:
    """Whether only a value of one type can be equal to it: text, None, a length, a type."""
    if isinstance(node, ast.Constant):
        return node.value is None or isinstance(node.value, str | bytes)
    if isinstance(node, ast.JoinedStr):
        return True
    if isinstance(node, ast.Call):
        return called_name(node.func) in {
            "type", "len", "repr", "str", "dumps", "strip", "split", "splitlines", "lower", "upper", "join",
            "read_text", "format", "casefold",
        }  # fmt: skip
    if isinstance(node, ast.List | ast.Tuple):
        return bool(node.elts) and all(map(_has_one_type, node.elts))
    return False


def _checked_types(nodes: list[ast.AST]) -> bool:
    """Whether a function looks at types at all; whether at all levels is for mutants to find out."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "type"
        and len(node.args) == 1
        for node in nodes
    )


def _divided(taint: ModuleTaint, node: ast.BinOp | ast.AugAssign, function: Function) -> Iterator[Found]:
    if not isinstance(node.op, ast.Div | ast.FloorDiv):
        return
    below = node.right if isinstance(node, ast.BinOp) else node.value
    if isinstance(below, ast.Name):
        # One step back: total = len(got); hits / total
        values = [
            part.value
            for part in taint.statements(function)
            if isinstance(part, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == below.id for target in part.targets)
        ]
        below = values[0] if len(values) == 1 else below
    if taint.kind(below) in {"number", "value"} and not _is_held_up(taint, below):
        yield "DG104", node, "the denominator depends on the answer"


def _is_held_up(taint: ModuleTaint, node: ast.expr) -> bool:
    """Whether it is a maximum with something of the verifier's own, which an answer can only make larger."""
    return (
        isinstance(node, ast.Call)
        and called_name(node.func) == "max"
        and any(not isinstance(part, ast.Constant) and taint.kind(part) is None for part in node.args)
    )


def _compares_lengths(nodes: list[ast.AST]) -> bool:
    for node in nodes:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            lengths = [
                side for side in sides if isinstance(side, ast.Call) and called_name(side.func) == "len"
            ]
            if lengths and isinstance(node.ops[0], _EQUAL):
                return True
    return False


def _zipped(taint: ModuleTaint, call: ast.Call) -> Iterator[Found]:
    if not isinstance(call.func, ast.Name) or call.func.id != "zip" or len(call.args) < 2:
        return
    strict = any(
        keyword.arg == "strict" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for keyword in call.keywords
    )
    if not strict and any(taint.kind(argument) is not None for argument in call.args):
        yield "DG105", call, "zip() without equal lengths: what is missing is never compared"


def _substring(taint: ModuleTaint, node: ast.Compare) -> Iterator[Found]:
    if len(node.ops) != 1 or not isinstance(node.ops[0], ast.In | ast.NotIn):
        return
    left, right = node.left, node.comparators[0]
    haystack = taint.kind(right)
    if (haystack == "text" and not _is_split(right)) or (
        haystack == "value" and taint.kind(left) is None and _is_expected(left)
    ):
        yield "DG106", node, "the answer only has to contain what is expected"
    elif (
        taint.kind(left) in {"text", "value"}
        and isinstance(right, ast.Constant)
        and isinstance(right.value, str)
    ):
        yield "DG106", node, "any part of the expected text is an answer, the empty one too"


def _is_split(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called_name(node.func) in {"split", "splitlines"}


def _is_expected(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant | ast.JoinedStr):
        return isinstance(node, ast.JoinedStr) or isinstance(node.value, str)
    names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
    return any(word in name.lower() for name in names for word in _KEY_WORDS)


def _searched(taint: ModuleTaint, call: ast.Call) -> Iterator[Found]:
    name = called_name(call.func)
    if not isinstance(call.func, ast.Attribute):
        return
    if name in _SEARCHES and taint.kind(call.func.value) == "text" and call.args:
        yield "DG106", call, f".{name}() looks at a part of the answer"
    is_re = isinstance(call.func.value, ast.Name) and call.func.value.id == "re"
    if is_re and name in {"search", "match"} and len(call.args) >= 2 and taint.kind(call.args[1]) == "text":
        pattern = call.args[0]
        anchored = (
            isinstance(pattern, ast.Constant)
            and isinstance(pattern.value, str)
            and pattern.value.endswith(("$", r"\Z"))
        )
        if not anchored and not _captures(pattern):
            yield "DG106", call, f"re.{name} is content with a part of the answer: use re.fullmatch"


def _captures(pattern: ast.expr) -> bool:
    """Whether it takes an answer out of the text, to be compared as a whole."""
    return isinstance(pattern, ast.Constant) and isinstance(pattern.value, str) and "(" in pattern.value


def _tolerance(taint: ModuleTaint, node: ast.Compare) -> Iterator[Found]:
    if len(node.ops) != 1:
        return
    left, right = node.left, node.comparators[0]
    error = left if isinstance(node.ops[0], ast.Gt | ast.GtE) else right
    if not isinstance(node.ops[0], ast.Gt | ast.GtE | ast.Lt | ast.LtE):
        return
    # An error that has to be *over* the limit to fail: `abs(got - expected) > 1e-6`, `1e-6 < abs(...)`.
    is_distance = isinstance(error, ast.Call) and called_name(error.func) in {"abs", "fabs"}
    if is_distance and taint.uses(error):
        yield "DG113", node, "NaN is not over any limit, so it passes here"
