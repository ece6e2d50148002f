"""The reference in other forms that do the same: a verifier that fails one judges how an answer is written."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass

from deepgym._judge.shape import parse_source
from deepgym.qa.attacks.code import TURNS
from deepgym.qa.interface import Interface
from deepgym.qa.subject import Subject
from deepgym.qa.writing import as_answer, turned_module, unified_diff

__all__ = ["Form", "other_forms"]

# A call may take its time; so much of the time for one call is still far from slow.
_SLOW_SHARE = 0.2
_MAX_SLOW_S = 0.4

_NOISE = """\
import sys
print("loading", flush=True)
print("0.0\\nFAILED", file=sys.stderr)
"""
_IN_THREAD = """\
def turn(value):
    import threading
    box = []
    worker = threading.Thread(target=lambda: box.append(value))
    worker.start()
    worker.join()
    return box[0]
"""
_REBUILT = """\
def turn(value):
    if type(value) is list:
        return [turn(item) for item in value]
    if type(value) is dict:
        return dict([(turn(key), turn(item)) for key, item in value.items()])
    if type(value) is tuple:
        return tuple([turn(item) for item in value])
    return value
"""
_SUBCLASSED = """\
import collections
class Items(list):
    pass
def turn(value):
    if type(value) is list:
        return Items(value)
    return collections.OrderedDict(value) if type(value) is dict else value
"""
_PRINTING = """\
def turn(value):
    print("working", repr(value)[:50])
    return value
"""
_SLOW = """\
import time
_waited = []
def turn(value):
    if not _waited:
        _waited.append(True)
        time.sleep({seconds})
    return value
"""
_PROGRAM = """\
import io as _io, sys as _sys
_real = _sys.stdout
_sys.stdout = _io.TextIOWrapper(_io.BytesIO(), encoding="utf-8", newline="")
try:
    exec(compile({source!r}, "answer.py", "exec"), {{"__name__": "__main__"}})
finally:
    _sys.stdout.flush()
    _text = _sys.stdout.buffer.getvalue().decode("utf-8")
    _sys.stdout = _real
    _lines = _text.split("\\n")
    _sys.stdout.buffer.write(({change}).encode("utf-8"))
    _sys.stdout.flush()
"""
_PROGRAM_CHANGES = {
    "CRLF line ends in the output": '"\\r\\n".join(_lines)',
    "blanks at the ends of output lines": '"  \\n".join(_lines)',
    "no newline at the end of the output": '_text.rstrip("\\n")',
    "empty lines at the end of the output": '_text.rstrip("\\n") + "\\n\\n\\n"',
    "all output at once and as bytes": "_text",
}


@dataclass(frozen=True, slots=True)
class Form:
    """A right answer in another form: what is different, and its text."""

    name: str
    answer: str


def other_forms(interface: Interface, subject: Subject) -> list[Form]:
    """The forms that fit an environment; none changes what the answer does."""
    assert subject.reference is not None
    make = {"code": _code, "patch": _patch, "program": _program, "text": _text}[interface.style]
    reference = subject.reference.text
    return [form for form in make(interface, subject) if form.answer != reference]


def _sources(source: str) -> Iterator[Form]:
    """Python that is written differently and does the same."""
    try:
        tree = parse_source(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    yield Form("formatted anew", ast.unparse(tree) + "\n")
    yield Form("comments and blank lines", f"# An answer.\n\n{source}\n\n# The end.\n\n")
    yield Form("CRLF line ends in the source", source.replace("\n", "\r\n"))
    yield Form("renamed locals", ast.unparse(_Renamer().visit(parse_source(source))) + "\n")
    reordered = _reordered(parse_source(source))
    if reordered is not None:
        yield Form("reordered definitions", reordered)
    loops = _iterative(parse_source(source))
    if loops is not None:
        yield Form("iterative for recursive", loops)
    yield Form(
        "more names in the module",
        source + "\n\nVERSION = '1.0'\n\n\ndef _unused_helper(value):\n    return value\n",
    )
    yield Form("a block for use as a program", source + "\n\nif __name__ == '__main__':\n    pass\n")


def _code(interface: Interface, subject: Subject) -> Iterator[Form]:
    yield from _sources(interface.source)
    yield Form(
        "prints while it is loaded", _NOISE + interface.source if "__future__" not in interface.source else ""
    )
    turns = {
        "prints while it works": _PRINTING,
        "works in a thread": _IN_THREAD,
        "results built anew": _REBUILT,
        "results of subclasses": _SUBCLASSED,
        "slow but legal": _SLOW.format(
            seconds=min(_MAX_SLOW_S, _SLOW_SHARE * subject.environment.case_timeout)
        ),
    }
    if "int_like_floats" in subject.accepts:
        turns["floats for integers"] = next(turn.source for turn in TURNS if turn.name == "float-for-int")
    for name, turn in turns.items():
        yield Form(name, turned_module(interface, turn))


def _patch(interface: Interface, subject: Subject) -> Iterator[Form]:
    assert subject.reference is not None
    text = subject.reference.text
    yield Form(
        "a diff between prose and fences",
        f"This mends it:\n\n```diff\n{text.rstrip()}\n```\n\nThat is all.\n",
    )
    yield Form("CRLF line ends in the diff", text.replace("\n", "\r\n"))
    view = interface.observation.patch
    if view is None:
        return
    headers = "".join(
        f"diff --git a/{name} b/{name}\n" + unified_diff(name, view.before[name], view.after[name])
        for name in view.changed
        if name in view.before
    )
    if headers and set(view.changed) <= set(view.before):
        yield Form("git's headers and more context", headers)
    if interface.module is not None:
        for form in _sources(interface.source):
            yield Form(f"{form.name}, as a patch", as_answer(interface, form.answer.replace("\r\n", "\n")))


def _program(interface: Interface, subject: Subject) -> Iterator[Form]:
    del subject
    source = interface.source
    try:
        parse_source(source)
    except (SyntaxError, ValueError, RecursionError):
        return  # a program in another language stays as it is
    for form in _sources(source):
        if form.name != "a block for use as a program":
            yield form
    yield Form(
        "says something on stderr", f"import sys as _sys\nprint('working', file=_sys.stderr)\n{source}"
    )
    yield Form("slow but legal", f"import time as _time\n_time.sleep({_MAX_SLOW_S / 2})\n{source}")
    if any(text.strip() for text in interface.observation.first_stdouts):
        for name, change in _PROGRAM_CHANGES.items():
            yield Form(name, _PROGRAM.format(source=source, change=change))


def _text(interface: Interface, subject: Subject) -> Iterator[Form]:
    del interface
    assert subject.reference is not None
    text = subject.reference.text
    yield Form("a newline more at the end", text.rstrip("\n") + "\n\n")
    yield Form("no newline at the end", text.rstrip("\n"))
    yield Form("CRLF line ends", text.replace("\r\n", "\n").replace("\n", "\r\n"))
    yield Form("blanks at the end", text.rstrip("\n") + "  \n")


class _Renamer(ast.NodeTransformer):
    """Gives other names to what functions bind for themselves; parameters keep theirs, since callers may use them."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if self._names or any(isinstance(part, ast.Nonlocal | ast.Global) for part in ast.walk(node)):
            return self.generic_visit(node) if self._names else node
        self._names = {name: f"{name}_1" for name in _locals_of(node)}
        renamed = self.generic_visit(node)
        self._names = {}
        return renamed

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(self._names.get(node.id, node.id), node.ctx), node)


def _locals_of(node: ast.FunctionDef) -> set[str]:
    inner = [part for part in ast.walk(node) if isinstance(part, ast.FunctionDef | ast.Lambda | ast.ClassDef)]
    parameters = {
        argument.arg
        for part in inner
        if isinstance(part, ast.FunctionDef | ast.Lambda)
        for argument in ast.walk(part.args)
        if isinstance(argument, ast.arg)
    }
    defined = {part.name for part in inner if isinstance(part, ast.FunctionDef | ast.ClassDef)}
    handlers = {part.name for part in ast.walk(node) if isinstance(part, ast.ExceptHandler)}
    imported = {
        alias.asname or alias.name
        for part in ast.walk(node)
        if isinstance(part, ast.Import | ast.ImportFrom)
        for alias in part.names
    }
    bound = {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    matched = {part.name for part in ast.walk(node) if isinstance(part, ast.MatchAs | ast.MatchStar)}
    return bound - parameters - defined - handlers - imported - matched - set(dir(builtins))


def _reordered(tree: ast.Module) -> str | None:
    """Functions in reverse order, where nothing runs while the module is loaded that could need them."""
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.decorator_list]
    first = min((tree.body.index(node) for node in functions), default=0)
    last = max((tree.body.index(node) for node in functions), default=0)
    if len(functions) < 2 or tree.body[first : last + 1] != functions or _names_in_defaults(functions):
        return None
    tree.body[first : last + 1] = functions[::-1]
    return ast.unparse(tree) + "\n"


def _names_in_defaults(functions: list[ast.FunctionDef]) -> bool:
    return any(node.args.defaults or any(node.args.kw_defaults) for node in functions)


def _iterative(tree: ast.Module) -> str | None:
    """Loops for functions that call themselves only as the last thing they do."""
    changed = False
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _is_tail_recursive(node):
            parameters = [argument.arg for argument in node.args.args]
            body = _TailCalls(node.name, parameters).replaced(node.body)
            node.body = [
                ast.While(ast.Constant(value=True), [*body, ast.Return(ast.Constant(value=None))], [])
            ]
            changed = True
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n" if changed else None


def _is_tail_recursive(node: ast.FunctionDef) -> bool:
    arguments = node.args
    if (
        arguments.vararg
        or arguments.kwarg
        or arguments.kwonlyargs
        or arguments.posonlyargs
        or node.decorator_list
    ):
        return False
    count = len(arguments.args)
    own = [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == node.name]
    calls = [
        part.value
        for part in _plain_statements(node.body)
        if isinstance(part, ast.Return) and _calls(part.value, node.name, count)
    ]
    inner = any(
        isinstance(part, ast.FunctionDef | ast.Lambda | ast.GeneratorExp)
        for part in ast.walk(node)
        if part is not node
    )
    return bool(calls) and len(own) == len(calls) and not inner


def _plain_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements outside of loops, `with` and `try`, where `continue` would mean something else."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If):
            yield from _plain_statements(statement.body)
            yield from _plain_statements(statement.orelse)


def _calls(value: ast.expr | None, name: str, count: int) -> bool:
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id == name
        and not value.keywords
        and len(value.args) == count
        and not any(isinstance(argument, ast.Starred) for argument in value.args)
    )


class _TailCalls:
    """Turns `return f(a, b)` into an assignment of the parameters and another round of the loop."""

    def __init__(self, name: str, parameters: list[str]) -> None:
        self._name = name
        self._parameters = parameters

    def replaced(self, body: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in body:
            if isinstance(statement, ast.If):
                statement.body = self.replaced(statement.body)
                statement.orelse = self.replaced(statement.orelse)
            if isinstance(statement, ast.Return) and _calls(
                statement.value, self._name, len(self._parameters)
            ):
                assert isinstance(statement.value, ast.Call)
                targets = ast.Tuple([ast.Name(name, ast.Store()) for name in self._parameters], ast.Store())
                values = ast.Tuple(statement.value.args, ast.Load())
                if self._parameters:
                    result.append(ast.Assign([targets], values))
                result.append(ast.Continue())
            else:
                result.append(statement)
        return result
