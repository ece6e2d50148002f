"""What in a verifier comes from the solution, and as what: `Kind` by expression, worked out per function.

The analysis does not mind order or branches: a name that ever holds something of the solution counts as holding it.
Several passes let kinds reach through the module's own functions, in both directions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

__all__ = ["Function", "Kind", "ModuleTaint", "called_name"]

# path: the file; solution: what load_solution gave; value: plain data it returned; text: a str it printed or wrote;
# source: its program text; process: a completed run; number: an int or float that the verifier made of such data.
Kind = Literal["path", "solution", "value", "text", "source", "process", "number"]
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module

_LOADERS = {"load_solution": "solution", "load_files": "solution", "run_solution": "process"}
_READERS = {"read_output": "text", "read_output_bytes": "text", "solution_source": "source"}
_TO_NUMBER = {"len", "int", "float", "sum", "abs", "round", "hash", "ord", "count"}
_TO_TEXT = {"str", "repr", "ascii", "format", "dumps"}
_KEEPS = {
    "list", "tuple", "set", "frozenset", "dict", "sorted", "reversed", "loads", "deepcopy", "copy", "iter", "next",
    "filter", "Counter", "literal_eval", "min", "max",
}  # fmt: skip
_PATH_NAMES = {"solution_path", "solution_file", "solution"}
_PASSES = 4


def called_name(node: ast.expr) -> str:
    """The last part of what a call calls: `load` of `json.load(...)`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


class ModuleTaint:
    """The kinds of every expression of a verifier's module."""

    def __init__(self, tree: ast.Module, *, is_verifier: bool = True) -> None:
        self.tree = tree
        self.functions: list[Function] = [tree]
        self.by_name: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self._returns: dict[str, Kind | None] = {}
        self._scopes: dict[Function, dict[str, Kind]] = {tree: {}}
        self.owner: dict[ast.AST, Function] = {}
        self._parents: dict[Function, Function] = {}
        self._collect(tree, tree)
        if is_verifier:
            self._seed()
        for _ in range(_PASSES):
            for function in self.functions:
                self._flow(function)

    @property
    def touches_solution(self) -> bool:
        """Whether anything is ever loaded, run or read from a solution, or its path handed on to who may do so."""
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        arguments = (part for call in calls for part in [*call.args, *(item.value for item in call.keywords)])
        return any(self.kind(call) not in (None, "path") for call in calls) or any(
            self.kind(argument) is not None for argument in arguments
        )

    def kind(self, node: ast.expr | None) -> Kind | None:
        """What an expression holds of the solution."""
        if node is None:
            return None
        method = getattr(self, f"_kind_{type(node).__name__}", None)
        if method is not None:
            found: Kind | None = method(node)
            return found
        return self._first(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))

    def uses(self, node: ast.AST) -> bool:
        """Whether any part of an expression holds something that the solution controls."""
        return any(
            self.kind(part) not in (None, "path") for part in ast.walk(node) if isinstance(part, ast.expr)
        )

    def statements(self, function: Function) -> Iterator[ast.AST]:
        """The nodes of one function, without those of functions inside it."""
        todo: list[ast.AST] = list(ast.iter_child_nodes(function))
        while todo:
            node = todo.pop(0)
            yield node
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                todo[:0] = ast.iter_child_nodes(node)

    def _collect(self, node: ast.AST, owner: Function) -> None:
        for child in ast.iter_child_nodes(node):
            self.owner[child] = owner
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                self.functions.append(child)
                self.by_name[child.name] = child
                self._scopes[child] = {}
                self._parents[child] = owner
                self._collect(child, child)
            else:
                self._collect(child, owner)

    def _seed(self) -> None:
        for name in _PATH_NAMES:
            self._scopes[self.tree][name] = "path"
        verify = self.by_name.get("verify")
        if verify is not None and verify.args.args:
            self._scopes[verify][verify.args.args[0].arg] = "path"

    def _flow(self, function: Function) -> None:
        for node in self.statements(function):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind(target, node.value, self.kind(node.value))
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.AugAssign):
                self._bind(node.target, node.value, self.kind(node.value))
            elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
                self._bind_loop(node.target, node.iter)
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                self._bind(node.optional_vars, node.context_expr, self.kind(node.context_expr))
            elif isinstance(node, ast.Call):
                self._pass_arguments(node)
            elif isinstance(node, ast.Return) and isinstance(
                function, ast.FunctionDef | ast.AsyncFunctionDef
            ):
                self._returns[function.name] = self._returns.get(function.name) or self.kind(node.value)

    def _bind(self, target: ast.expr, value: ast.expr | None, kind: Kind | None) -> None:
        if isinstance(target, ast.Name):
            scope = self._scope(target)
            if kind is not None and scope.get(target.id) in (None, "path"):
                scope[target.id] = kind
        elif isinstance(target, ast.Starred):
            self._bind(target.value, None, kind)
        elif isinstance(target, ast.Tuple | ast.List):
            same = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts)
            for number, part in enumerate(target.elts):
                inner = value.elts[number] if same and isinstance(value, ast.Tuple | ast.List) else None
                self._bind(part, inner, self.kind(inner) if inner is not None else kind)

    def _bind_loop(self, target: ast.expr, iterable: ast.expr) -> None:
        if isinstance(iterable, ast.Call):
            name = called_name(iterable.func)
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
            if name == "zip" and len(parts) == len(iterable.args):
                for part, source in zip(parts, iterable.args, strict=True):
                    self._bind(part, None, self.kind(source))
                return
            if name == "enumerate" and len(parts) == 2 and iterable.args:
                self._bind_loop(parts[1], iterable.args[0])
                return
        self._bind(target, None, self.kind(iterable))

    def _pass_arguments(self, call: ast.Call) -> None:
        function = self.by_name.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if function is None:
            return
        names = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
        scope = self._scopes[function]
        for name, value in zip(names, call.args, strict=False):
            kind = self.kind(value)
            if kind is not None:
                scope.setdefault(name, kind)
        for keyword in call.keywords:
            kind = self.kind(keyword.value)
            if keyword.arg and kind is not None:
                scope.setdefault(keyword.arg, kind)

    def _scope(self, node: ast.AST) -> dict[str, Kind]:
        return self._scopes[self.owner.get(node, self.tree)]

    def _first(self, nodes: Iterator[ast.expr]) -> Kind | None:
        return next((kind for node in nodes if (kind := self.kind(node)) not in (None, "path")), None)

    def _kind_Name(self, node: ast.Name) -> Kind | None:  # noqa: N802 -- named after the class of the node
        function: Function | None = self.owner.get(node, self.tree)
        while function is not None:
            if node.id in self._scopes[function]:
                return self._scopes[function][node.id]
            if isinstance(function, ast.Module):
                return None
            arguments = function.args
            names = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            if any(argument.arg == node.id for argument in names):
                return None  # a parameter hides what is outside
            function = self._parents.get(function)
        return None

    def _kind_Attribute(self, node: ast.Attribute) -> Kind | None:  # noqa: N802
        owner = self.kind(node.value)
        if owner == "process":
            return "text" if node.attr in {"stdout", "stderr"} else "number"
        return "value" if owner == "solution" else owner

    def _kind_Dict(self, node: ast.Dict) -> Kind | None:  # noqa: N802, ARG002 -- a record that the verifier makes
        return None

    def _kind_Compare(self, node: ast.Compare) -> Kind | None:  # noqa: N802, ARG002 -- a bool of the verifier's own
        return None

    def _kind_Constant(self, node: ast.Constant) -> Kind | None:  # noqa: N802, ARG002
        return None

    def _kind_JoinedStr(self, node: ast.JoinedStr) -> Kind | None:  # noqa: N802
        return "text" if self._first(iter(node.values)) else None

    def _kind_BinOp(self, node: ast.BinOp) -> Kind | None:  # noqa: N802
        return self.kind(node.left) or self.kind(node.right)

    def _kind_Call(self, node: ast.Call) -> Kind | None:  # noqa: N802
        name = called_name(node.func)
        if name in _LOADERS or name in _READERS:
            return {**_LOADERS, **_READERS}[name]  # type: ignore[return-value]  # the tables hold kinds
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        inner = self._first(iter(arguments))
        if isinstance(node.func, ast.Attribute):
            owner = self.kind(node.func.value)
            if owner in ("solution", "value"):
                return "number" if name in _TO_NUMBER else "value"
            if owner == "text":
                return "number" if name in {"count", "find", "index"} else "text"
            if owner == "source":
                return "source"
            if owner == "path" and name in {"read_text", "read_bytes", "read"}:
                return "source"
        elif isinstance(node.func, ast.Name):
            if node.func.id in self._returns or node.func.id in self.by_name:
                return self._returns.get(node.func.id)
            if self.kind(node.func) in ("solution", "value"):
                return "value"
            if name in {"open", "Path"} and any(self.kind(argument) == "path" for argument in node.args):
                return "path" if name == "Path" else "source"
        if name in _TO_NUMBER:
            return "number" if inner else None
        if name in _TO_TEXT:
            return "text" if inner else None
        return inner if name in _KEEPS else None
