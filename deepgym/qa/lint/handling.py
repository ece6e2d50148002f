"""What an `except` hides: DG107, DG108."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepgym.qa.lint.taint import ModuleTaint, called_name

__all__ = ["find"]

Found = tuple[str, ast.expr | ast.stmt | ast.excepthandler, str]

_BROAD = {"Exception", "BaseException", "SolutionError", "SolutionTimeoutError"}
_EVERYTHING = {"BaseException", "LaunchError"}
_GRANTING_NAMES = ("pass", "score", "hit", "correct", "right", "good", "ok", "success", "reward", "points")


def find(taint: ModuleTaint) -> Iterator[Found]:
    """Findings of these rules."""
    for node in ast.walk(taint.tree):
        if isinstance(node, ast.ExceptHandler):
            yield from _handler(node)
        elif isinstance(node, ast.Call) and called_name(node.func) == "suppress":
            yield from _suppressed(node)
        elif isinstance(node, ast.Try):
            for part in node.finalbody:
                if isinstance(part, ast.Return | ast.Break | ast.Continue):
                    yield "DG108", part, "leaving a finally block swallows everything, LaunchError too"


def _handler(handler: ast.ExceptHandler) -> Iterator[Found]:
    names = _caught(handler.type)
    raises = any(isinstance(part, ast.Raise) for part in ast.walk(handler))
    if (not names or names & _EVERYTHING) and not raises:
        what = "a bare except" if not names else f"except {' and '.join(sorted(names & _EVERYTHING))}"
        yield "DG108", handler, f"{what} catches LaunchError and does not raise it again"
    is_broad = not names or bool(names & _BROAD)
    if is_broad and all(_does_nothing(part) for part in handler.body):
        yield "DG107", handler, "the failure is passed over in silence"
        return
    granting = next((part for part in ast.walk(handler) if _grants(part)), None)
    if granting is not None:
        yield "DG107", handler, "an answer that raises is counted as right"


def _suppressed(call: ast.Call) -> Iterator[Found]:
    names = {called_name(argument) for argument in call.args}
    if names & _EVERYTHING:
        yield "DG108", call, f"suppress({', '.join(sorted(names))}) swallows LaunchError"
    elif names & _BROAD:
        yield "DG107", call, "the failure is passed over in silence"


def _caught(node: ast.expr | None) -> set[str]:
    if node is None:
        return set()
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return {called_name(part) for part in parts}


def _does_nothing(statement: ast.stmt) -> bool:
    is_constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_constant or isinstance(statement, ast.Pass | ast.Continue)


def _grants(node: ast.AST) -> bool:
    """Whether a statement of a handler gives credit."""
    if isinstance(node, ast.Return):
        return _is_credit(node.value)
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        return isinstance(node.target, ast.Name) and _sounds_good(node.target.id) and _is_credit(node.value)
    if isinstance(node, ast.Assign):
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        return any(map(_sounds_good, names)) and _is_credit(node.value)
    if isinstance(node, ast.Dict):
        return _dict_grants(node)
    return False


def _dict_grants(node: ast.Dict) -> bool:
    return any(
        isinstance(key, ast.Constant) and key.value in {"passed", "score"} and _is_credit(value)
        for key, value in zip(node.keys, node.values, strict=True)
    )


def _sounds_good(name: str) -> bool:
    return any(word in name.lower() for word in _GRANTING_NAMES)


def _is_credit(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Dict):
        return _dict_grants(node)
    return isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float) and node.value > 0
