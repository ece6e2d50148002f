"""The kinds of mistake: for one node of a syntax tree, what it could have been written as by mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import libcst as cst

__all__ = ["is_docstring", "replacements"]

Edit = tuple[str, Any]
Parents = Mapping[cst.CSTNode, cst.CSTNode]

_BINARY: dict[type[cst.BaseBinaryOp], tuple[type[cst.BaseBinaryOp], ...]] = {
    cst.Add: (cst.Subtract,),
    cst.Subtract: (cst.Add,),
    cst.Multiply: (cst.Add,),
    cst.Divide: (cst.FloorDivide, cst.Multiply),
    cst.FloorDivide: (cst.Multiply,),
    cst.Modulo: (cst.FloorDivide,),
    cst.Power: (cst.Multiply,),
    cst.BitAnd: (cst.BitOr,),
    cst.BitOr: (cst.BitAnd,),
    cst.BitXor: (cst.BitOr,),
    cst.LeftShift: (cst.RightShift,),
    cst.RightShift: (cst.LeftShift,),
}
_AUGMENTED: dict[type[cst.BaseAugOp], type[cst.BaseAugOp]] = {
    cst.AddAssign: cst.SubtractAssign,
    cst.SubtractAssign: cst.AddAssign,
    cst.MultiplyAssign: cst.AddAssign,
    cst.FloorDivideAssign: cst.MultiplyAssign,
    cst.DivideAssign: cst.MultiplyAssign,
    cst.BitOrAssign: cst.BitAndAssign,
    cst.BitAndAssign: cst.BitOrAssign,
}
_COMPARED: dict[type[cst.BaseCompOp], tuple[type[cst.BaseCompOp], ...]] = {
    cst.LessThan: (cst.LessThanEqual, cst.GreaterThan),
    cst.LessThanEqual: (cst.LessThan, cst.GreaterThanEqual),
    cst.GreaterThan: (cst.GreaterThanEqual, cst.LessThan),
    cst.GreaterThanEqual: (cst.GreaterThan, cst.LessThanEqual),
    cst.Equal: (cst.NotEqual,),
    cst.NotEqual: (cst.Equal,),
    cst.In: (cst.NotIn,),
    cst.NotIn: (cst.In,),
    cst.Is: (cst.IsNot,),
    cst.IsNot: (cst.Is,),
}
_NAME_PAIRS = (
    ("min", "max"), ("any", "all"), ("lower", "upper"), ("lstrip", "rstrip"), ("ceil", "floor"),
    ("bisect_left", "bisect_right"), ("startswith", "endswith"),
)  # fmt: skip
_NAMES = {
    **dict(_NAME_PAIRS),
    **{right: left for left, right in _NAME_PAIRS},
    "sum": "max",
    "sorted": "list",
    "append": "remove",
    "appendleft": "append",
    "popleft": "pop",
    "find": "rfind",
    "keys": "values",
}
_STATEMENTS = (cst.Assign, cst.AugAssign, cst.Expr, cst.Raise, cst.Del, cst.AnnAssign)


def replacements(node: cst.CSTNode, parents: Parents) -> Iterator[Edit]:
    """What a node could be by mistake: the kind of mistake, and the node in its place."""
    for kinds, make in _MAKERS:
        if isinstance(node, kinds):
            yield from make(node)
    if isinstance(node, cst.SimpleStatementLine) and _is_in_function(node, parents):
        yield from _dropped_statement(node)


def is_docstring(node: cst.CSTNode, parents: Parents) -> bool:
    """Whether a node is, or lies in, a text that stands alone as a statement."""
    current: cst.CSTNode | None = node
    while current is not None and not isinstance(current, cst.BaseSmallStatement):
        current = parents.get(current)
    return isinstance(current, cst.Expr) and isinstance(
        current.value, cst.SimpleString | cst.ConcatenatedString
    )


def _is_in_function(node: cst.CSTNode, parents: Parents) -> bool:
    current: cst.CSTNode | None = node
    while current is not None:
        if isinstance(current, cst.FunctionDef):
            return True
        current = parents.get(current)
    # Programs do their work at the top level.
    return not isinstance(node, cst.SimpleStatementLine) or isinstance(node.body[0], _STATEMENTS)


def _binary(node: cst.BinaryOperation) -> Iterator[Edit]:
    for other in _BINARY.get(type(node.operator), ()):
        yield "operator", node.with_changes(operator=other())


def _augmented(node: cst.AugAssign) -> Iterator[Edit]:
    other = _AUGMENTED.get(type(node.operator))
    if other is not None:
        yield "operator", node.with_changes(operator=other())


def _comparison(node: cst.Comparison) -> Iterator[Edit]:
    for at, target in enumerate(node.comparisons):
        for number, other in enumerate(_COMPARED.get(type(target.operator), ())):
            changed = [*node.comparisons]
            changed[at] = target.with_changes(operator=other())
            is_bound = number == 0 and isinstance(
                target.operator, cst.LessThan | cst.LessThanEqual | cst.GreaterThan | cst.GreaterThanEqual
            )
            yield "boundary" if is_bound else "comparison", node.with_changes(comparisons=changed)


def _boolean(node: cst.BooleanOperation) -> Iterator[Edit]:
    yield (
        "operator",
        node.with_changes(operator=cst.Or() if isinstance(node.operator, cst.And) else cst.And()),
    )
    yield (
        "dropped condition",
        node.left.with_changes(lpar=node.lpar or node.left.lpar, rpar=node.rpar or node.left.rpar),
    )
    yield (
        "dropped condition",
        node.right.with_changes(lpar=node.lpar or node.right.lpar, rpar=node.rpar or node.right.rpar),
    )


def _unary(node: cst.UnaryOperation) -> Iterator[Edit]:
    if isinstance(node.operator, cst.Not | cst.Minus):
        yield (
            "operator",
            node.expression.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]),
        )


def _integer(node: cst.Integer) -> Iterator[Edit]:
    for step in (1, -1):
        value = node.evaluated_value + step
        text = cst.Integer(str(abs(value)))
        changed = (
            text
            if value >= 0
            else cst.UnaryOperation(cst.Minus(), text, [cst.LeftParen()], [cst.RightParen()])
        )
        yield "off by one", changed


def _string(node: cst.SimpleString) -> Iterator[Edit]:
    if node.evaluated_value:
        quote = node.quote
        yield "constant", node.with_changes(value=f"{node.prefix}{quote}{quote}")
    else:
        yield "constant", node.with_changes(value=f"{node.prefix}{node.quote}x{node.quote}")


def _name(node: cst.Name) -> Iterator[Edit]:
    if node.value in {"True", "False"}:
        yield "constant", cst.Name("False" if node.value == "True" else "True")


def _if(node: cst.If) -> Iterator[Edit]:
    yield (
        "dropped branch",
        node.with_changes(test=cst.Name("False"), whitespace_before_test=cst.SimpleWhitespace(" ")),
    )
    yield (
        "dropped branch",
        node.with_changes(test=cst.Name("True"), whitespace_before_test=cst.SimpleWhitespace(" ")),
    )
    if isinstance(node.orelse, cst.Else):
        yield "dropped branch", node.with_changes(orelse=None)


def _conditional(node: cst.IfExp) -> Iterator[Edit]:
    yield "dropped branch", cst.IfExp(cst.Name("True"), node.body, node.orelse, node.lpar, node.rpar)
    yield "dropped branch", cst.IfExp(cst.Name("False"), node.body, node.orelse, node.lpar, node.rpar)


def _filter(node: cst.CompIf) -> Iterator[Edit]:
    yield "dropped condition", node.with_changes(test=cst.Name("True"))


def _call(node: cst.Call) -> Iterator[Edit]:
    plain = all(argument.keyword is None and not argument.star for argument in node.args)
    if plain and len(node.args) >= 2:
        first, second = node.args[0], node.args[1]
        swapped = [
            first.with_changes(value=second.value),
            second.with_changes(value=first.value),
            *node.args[2:],
        ]
        yield "swapped arguments", node.with_changes(args=swapped)
    func = node.func
    if isinstance(func, cst.Name) and func.value in _NAMES:
        yield "wrong function", node.with_changes(func=cst.Name(_NAMES[func.value]))
    if isinstance(func, cst.Attribute) and func.attr.value in _NAMES:
        yield (
            "wrong function",
            node.with_changes(func=func.with_changes(attr=cst.Name(_NAMES[func.attr.value]))),
        )
    if isinstance(func, cst.Name) and func.value == "range" and node.args and plain:
        at = 0 if len(node.args) == 1 else 1
        for text in ("{} - 1", "{} + 1"):
            bound = cst.parse_expression(text.format(f"({_code(node.args[at].value)})"))
            changed = [*node.args]
            changed[at] = node.args[at].with_changes(value=bound)
            yield "off by one", node.with_changes(args=changed)
    dropped = [argument for argument in node.args if argument.keyword is not None]
    for argument in dropped:
        rest = [
            other.with_changes(comma=cst.MaybeSentinel.DEFAULT)
            for other in node.args
            if other is not argument
        ]
        yield "dropped argument", node.with_changes(args=rest)


def _subscript(node: cst.Subscript) -> Iterator[Edit]:
    if len(node.slice) != 1 or not isinstance(node.slice[0].slice, cst.Slice):
        return
    part = node.slice[0].slice
    for name in ("lower", "upper"):
        bound = getattr(part, name)
        if bound is not None:
            shifted = cst.parse_expression(f"({_code(bound)}) + 1")
            changed = node.slice[0].with_changes(slice=part.with_changes(**{name: shifted}))
            yield "off by one", node.with_changes(slice=[changed])


def _return(node: cst.Return) -> Iterator[Edit]:
    if node.value is None or (isinstance(node.value, cst.Name) and node.value.value == "None"):
        return
    yield (
        "missing return",
        node.with_changes(value=cst.Name("None"), whitespace_after_return=cst.SimpleWhitespace(" ")),
    )
    for text in ("str({})", "[{}]"):
        changed = cst.parse_expression(text.format(_code(node.value)))
        yield (
            "wrong type",
            node.with_changes(value=changed, whitespace_after_return=cst.SimpleWhitespace(" ")),
        )


def _loop(node: cst.For) -> Iterator[Edit]:
    code = _code(node.iter)
    yield "boundary", node.with_changes(iter=cst.parse_expression(f"list({code})[1:]"))
    yield "boundary", node.with_changes(iter=cst.parse_expression(f"list({code})[:-1]"))


def _while(node: cst.While) -> Iterator[Edit]:
    yield (
        "dropped branch",
        node.with_changes(test=cst.Name("False"), whitespace_after_while=cst.SimpleWhitespace(" ")),
    )


def _leave(node: cst.Break | cst.Continue) -> Iterator[Edit]:
    yield "operator", cst.Continue() if isinstance(node, cst.Break) else cst.Break()


def _dropped_statement(node: cst.SimpleStatementLine) -> Iterator[Edit]:
    statement = node.body[0]
    if len(node.body) != 1 or not isinstance(statement, _STATEMENTS):
        return
    if isinstance(statement, cst.Expr) and not isinstance(statement.value, cst.Call):
        return
    kind = "stale state" if not isinstance(statement, cst.Raise) else "dropped error"
    yield kind, node.with_changes(body=[cst.Pass()])


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


_MAKERS: tuple[tuple[Any, Callable[[Any], Iterator[Edit]]], ...] = (
    (cst.BinaryOperation, _binary),
    (cst.AugAssign, _augmented),
    (cst.Comparison, _comparison),
    (cst.BooleanOperation, _boolean),
    (cst.UnaryOperation, _unary),
    (cst.Integer, _integer),
    (cst.SimpleString, _string),
    (cst.Name, _name),
    (cst.If, _if),
    (cst.IfExp, _conditional),
    (cst.CompIf, _filter),
    (cst.Call, _call),
    (cst.Subscript, _subscript),
    (cst.Return, _return),
    (cst.For, _loop),
    (cst.While, _while),
    (cst.Break | cst.Continue, _leave),
)
