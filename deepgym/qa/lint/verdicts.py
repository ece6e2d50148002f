"""What a verifier gives as its verdict: DG102, DG109, DG110, DG112, DG116."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from deepgym.qa.lint.taint import Function, ModuleTaint, called_name

__all__ = ["find"]

Found = tuple[str, ast.expr | ast.stmt, str]

_SCORES = {
    "score", "scores", "reward", "rewards", "passed", "is_correct", "correct", "success", "grade", "verdict",
    "my_score", "self_score", "total_score", "get_score", "final_score", "evaluate", "self_check",
}  # fmt: skip
_CONVERSIONS = {"float", "bool", "int"}
_SCORE_FILES = ("reward", "score", "verdict", "grade")


@dataclass(frozen=True, slots=True)
class _Verdict:
    """One expression that becomes the verdict, and the dict that it is, where that can be seen."""

    node: ast.expr
    value: ast.expr
    function: Function


def find(taint: ModuleTaint, shape: str) -> Iterator[Found]:
    """Findings of these rules."""
    for node in ast.walk(taint.tree):
        if isinstance(node, ast.expr):
            yield from _own_score(taint, node)
    verdicts = list(_verdicts(taint, shape))
    for verdict in verdicts:
        yield from _echoed(taint, verdict)
        yield from _exit_code(taint, verdict)
    if shape == "script":
        yield from _printed_text(taint, {verdict.node for verdict in verdicts})
    yield from _constant(taint, verdicts)
    yield from _without_cases(verdicts)


def _verdicts(taint: ModuleTaint, shape: str) -> Iterator[_Verdict]:
    if shape == "script":
        yield from _script_verdicts(taint)
        return
    function: Function = taint.by_name.get("verify", taint.tree) if shape == "verify_function" else taint.tree
    for node in taint.statements(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield _Verdict(node.value, _resolved(taint, node.value, function), function)


def _script_verdicts(taint: ModuleTaint) -> Iterator[_Verdict]:
    for function in taint.functions:
        for node in taint.statements(function):
            if not isinstance(node, ast.Call):
                continue
            name = called_name(node.func)
            if name == "report" and node.args:
                yield _Verdict(node.args[0], _resolved(taint, node.args[0], function), function)
            elif name == "report" and node.keywords:
                keys: list[ast.expr | None] = [
                    ast.Constant(keyword.arg) if keyword.arg else None for keyword in node.keywords
                ]
                table = ast.Dict(keys, [keyword.value for keyword in node.keywords])
                yield _Verdict(node, ast.copy_location(table, node), function)
            elif name == "print" and len(node.args) == 1 and isinstance(node.args[0], ast.Call):
                inner = node.args[0]
                if called_name(inner.func) == "dumps" and inner.args:
                    yield _Verdict(inner.args[0], _resolved(taint, inner.args[0], function), function)


def _resolved(taint: ModuleTaint, node: ast.expr, function: Function) -> ast.expr:
    """The value of a name that its function binds once; anything else as it is."""
    if not isinstance(node, ast.Name):
        return node
    values = [
        part.value
        for part in taint.statements(function)
        if isinstance(part, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == node.id for target in part.targets)
    ]
    changed = any(
        isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name) and part.target.id == node.id
        for part in taint.statements(function)
    )
    return values[0] if len(values) == 1 and not changed else node


def _own_score(taint: ModuleTaint, node: ast.expr) -> Iterator[Found]:
    if isinstance(node, ast.Attribute) and node.attr in _SCORES and taint.kind(node.value) == "solution":
        yield "DG102", node, f"the solution is asked for its {node.attr!r}"
    elif isinstance(node, ast.Subscript | ast.Call):
        key = _key_of(node)
        owner = node.value if isinstance(node, ast.Subscript) else node.func
        if key in _SCORES and taint.kind(owner) in {"value", "text"}:
            yield "DG102", node, f"the answer's own {key!r} is read"
    if isinstance(node, ast.Call) and called_name(node.func) in {"read_output", "read_output_bytes"}:
        first = node.args[0] if node.args else None
        name = first.value if isinstance(first, ast.Constant) else None
        if isinstance(name, str) and any(word in name.lower() for word in _SCORE_FILES):
            yield "DG102", node, f"the verdict is read from {name!r}, which the solution writes"


def _key_of(node: ast.Subscript | ast.Call) -> str:
    if isinstance(node, ast.Subscript):
        key: ast.expr | None = node.slice
    else:
        name = called_name(node.func)
        is_get = name in {"get", "pop"} and isinstance(node.func, ast.Attribute)
        is_call = name == "call" and isinstance(node.func, ast.Attribute)
        key = node.args[0] if node.args and (is_get or is_call) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""


def _echoed(taint: ModuleTaint, verdict: _Verdict) -> Iterator[Found]:
    if taint.kind(verdict.value) in {"value", "text"} and not isinstance(verdict.value, ast.Dict):
        yield "DG112", verdict.node, "what the solution gave is handed on as the verdict"
    for key, value in _items(verdict.value):
        if key in {"score", "passed"} and taint.kind(value) in {"value", "text"}:
            yield "DG112", value, f"{key!r} is what the solution gave"


def _printed_text(taint: ModuleTaint, known: set[ast.expr]) -> Iterator[Found]:
    for node in ast.walk(taint.tree):
        if not isinstance(node, ast.Call):
            continue
        writes = called_name(node.func) == "write" and "stdout" in ast.dump(node.func)
        if called_name(node.func) != "print" and not writes:
            continue
        if any(keyword.arg == "file" for keyword in node.keywords):
            continue
        for argument in node.args:
            inner = argument.args[0] if isinstance(argument, ast.Call) and argument.args else argument
            if inner not in known and taint.kind(argument) in {"value", "text", "source"}:
                yield "DG112", node, "the solution's text is printed where the verdict is read"


def _exit_code(taint: ModuleTaint, verdict: _Verdict) -> Iterator[Found]:
    scores = [value for key, value in _items(verdict.value) if key in {"score", "passed"}] or [verdict.value]
    for score in scores:
        while (
            isinstance(score, ast.Call) and called_name(score.func) in _CONVERSIONS and len(score.args) == 1
        ):
            score = score.args[0]  # noqa: PLW2901 -- the same value, before it was converted
        score = _resolved(taint, score, verdict.function)  # noqa: PLW2901 -- and one step back
        parts = [part for part in ast.walk(score) if isinstance(part, ast.Attribute)]
        others = [
            part
            for part in ast.walk(score)
            if isinstance(part, ast.Call) and called_name(part.func) not in _CONVERSIONS
        ]
        names = [
            part.id
            for part in ast.walk(score)
            if isinstance(part, ast.Name) and taint.kind(part) != "process" and part.id not in _CONVERSIONS
        ]
        if parts and all(part.attr == "returncode" for part in parts) and not others and not names:
            yield "DG116", score, "the exit code alone decides"


def _constant(taint: ModuleTaint, verdicts: list[_Verdict]) -> Iterator[Found]:
    if not verdicts:
        return
    scores = [_score_of(taint, verdict) for verdict in verdicts]
    known = [score.value for score in scores if isinstance(score, ast.Constant)]
    if (
        len(known) == len(scores)
        and len({float(value) for value in known if isinstance(value, bool | int | float)}) == 1
    ):
        yield "DG110", verdicts[0].node, f"every verdict is {known[0]!r}"
    elif not taint.touches_solution:
        yield "DG110", verdicts[0].node, "the verdict does not depend on the solution"


def _score_of(taint: ModuleTaint, verdict: _Verdict) -> ast.expr | None:
    items = dict(_items(verdict.value))
    if isinstance(verdict.value, ast.Dict):
        found = items.get("score", items.get("passed"))
        return None if found is None else _resolved(taint, found, verdict.function)
    return verdict.value


def _without_cases(verdicts: list[_Verdict]) -> Iterator[Found]:
    """Only where the whole verdict can be seen; what another function builds is seen when it runs."""
    if not verdicts or not all(_is_visible(verdict.value) for verdict in verdicts):
        return
    tables = [verdict for verdict in verdicts if isinstance(verdict.value, ast.Dict)]
    if not any(_has_cases(verdict.value) for verdict in tables):
        yield "DG109", verdicts[-1].node, "the verdict says nothing of its cases"
    for verdict in tables:
        for key, value in _items(verdict.value):
            if (
                key == "cases"
                and isinstance(value, ast.List)
                and not value.elts
                and _claims_credit(verdict.value)
            ):
                yield "DG109", value, "the list of cases is empty"


def _is_visible(node: ast.expr) -> bool:
    if isinstance(node, ast.Dict):
        return None not in node.keys
    return isinstance(node, ast.Constant | ast.Compare | ast.BoolOp | ast.UnaryOp | ast.BinOp) or (
        isinstance(node, ast.Call)
        and called_name(node.func) in {"float", "bool", "int", "all", "any", "min", "max"}
    )


def _has_cases(node: ast.expr) -> bool:
    return any(key == "cases" for key, _ in _items(node))


def _claims_credit(node: ast.expr) -> bool:
    score = dict(_items(node)).get("score")
    return not (isinstance(score, ast.Constant) and not score.value)


def _items(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value
