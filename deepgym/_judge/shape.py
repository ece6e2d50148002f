"""The shapes of a verifier: found by parsing, compiled so that positions stay the author's own, and run.

    script            prints its verdict; `sys.argv[1:]`, `solution_path` and `test_cases_path` are set
    verify_function   defines `verify(solution_path, test_cases_path=None)`; its result is the verdict
    body              statements with a `return` of the verdict, as if inside such a function

This file travels into sandboxes: standard library only, no import of its neighbours.

A body is wrapped as a syntax tree, never as text: its statements become those of a function, so that string
literals, tabs, line ends and line numbers are what they were. `ast.parse` accepts a `return` outside a
function (the compiler refuses it later), which is what makes this possible.
"""

import ast
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Final, Literal, TypeGuard, TypeVar, cast

__all__ = ["Program", "Shape", "compile_verifier", "detect_shape", "parse_verifier", "run_verifier"]

Shape = Literal["script", "verify_function", "body"]
_T = TypeVar("_T")

PARAMETERS: Final = ("solution_path", "test_cases_path")

# CO_VARARGS and CO_VARKEYWORDS of the inspect module: the function takes *args or **kwargs.
_STARRED: Final = 0x04 | 0x08

# Python's warning filters belong to the whole process; only one thread at a time may set them aside.
_WARNINGS_LOCK = threading.Lock()

# The interpreter counts the depth of trees that it makes in one place for all threads: two at a time can end in a
# SystemError ("AST constructor recursion depth mismatch").
_PARSE_LOCK = threading.Lock()
os.register_at_fork(after_in_child=_PARSE_LOCK._at_fork_reinit)  # type: ignore[attr-defined]  # noqa: SLF001 - what the standard library does

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
# Expressions whose value may be a function; `verify = True` in a script is a flag.
_MAYBE_CALLABLE = (
    ast.Lambda,
    ast.Name,
    ast.Attribute,
    ast.Call,
    ast.IfExp,
    ast.BoolOp,
    ast.Subscript,
    ast.NamedExpr,
)


@dataclass(frozen=True)
class Program:
    """A verifier, ready to run: its shape, and the code of its module."""

    shape: Shape
    code: CodeType
    filename: str


def compile_verifier(source: str | bytes, *, mode: str = "auto", filename: str = "verifier.py") -> Program:
    """The program of a verifier's source; `auto` finds its shape.

    Raises:
        SyntaxError: The source cannot be parsed or compiled; the position is the author's own.
    """
    tree = parse_verifier(source, filename)
    shape = detect_shape(tree) if mode == "auto" else cast("Shape", mode)
    if shape == "body":
        tree = _wrap_body(tree, filename)
    code = _quietly(lambda: compile(tree, filename, "exec", dont_inherit=True), filename)
    return Program(shape, code, filename)


def parse_source(source: str | bytes, filename: str = "<unknown>") -> ast.Module:
    """The syntax tree of a source, one at a time in this process.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: As `ast.parse` does.
    """
    with _PARSE_LOCK:
        return ast.parse(source, filename)


def parse_verifier(source: str | bytes, filename: str) -> ast.Module:
    """The syntax tree of a source, which may be indented as a whole and begin with a BOM.

    Raises:
        SyntaxError: It cannot be parsed.
    """
    text = _decode(source, filename).removeprefix("\ufeff")
    _refuse_characters(text, filename)
    try:
        return _parse(text, filename)
    except IndentationError as error:
        if not _first_code_line(text)[:1].isspace():
            raise
        return _parse_indented(text, filename, error)


def detect_shape(tree: ast.Module) -> Shape:
    """The shape of a verifier that does not name it.

    A `return` (or `await`) outside every function makes a body, for no module may have one. A `verify` bound
    at module level to what may be a function of one or two positional arguments makes a verify_function, be
    it defined, assigned, imported or under a condition. Everything else is a script.
    """
    own = list(_walk_scope(tree.body))
    if any(isinstance(node, ast.Return) or _is_asynchronous(node) for node in own):
        return "body"
    if any(_binds_verify(node) for node in own):
        return "verify_function"
    return "script"


def run_verifier(program: Program, solution_path: str, test_cases_path: str | None = None) -> object:
    """Run a program in this process and return what the verifier returned; `None` for a script.

    Whatever the verifier raises passes through.

    Raises:
        TypeError: The module does not define a callable `verify`.
    """
    name = "verifier" if program.shape == "verify_function" else "__main__"
    module = ModuleType(name)
    # Dataclasses and pickle look a module up by name.
    sys.modules[name] = module
    namespace = module.__dict__
    namespace.update(__file__=program.filename, solution_path=solution_path, test_cases_path=test_cases_path)
    sys.argv = [program.filename, solution_path, *([] if test_cases_path is None else [test_cases_path])]
    exec(program.code, namespace)  # noqa: S102 -- running the verifier is what this function is for
    if program.shape == "script":
        return None
    verify = namespace.get("verify")
    if not callable(verify):
        raise TypeError(f"{program.filename} must define verify(solution_path, test_cases_path=None)")
    return _finish(_call_verify(verify, solution_path, test_cases_path))


def _call_verify(verify: Callable[..., object], solution_path: str, test_cases_path: str | None) -> object:
    if _is_plain(verify):
        count = verify.__code__.co_argcount
        required = count - len(verify.__defaults__ or ())
        if count == 1 or (test_cases_path is None and required <= 1):
            return verify(solution_path)
        if count == len(PARAMETERS):
            return verify(solution_path, test_cases_path)
    import inspect  # noqa: PLC0415 -- slow to import; a script never needs it

    both = (solution_path, test_cases_path)
    try:
        signature = inspect.signature(verify)
    except (TypeError, ValueError):
        return verify(*both) if test_cases_path is not None else verify(solution_path)
    accepts_one = _binds(signature.bind, solution_path)
    if accepts_one and (test_cases_path is None or not _binds(signature.bind, *both)):
        if test_cases_path is not None and _binds(
            signature.bind, solution_path, test_cases_path=test_cases_path
        ):
            return verify(solution_path, test_cases_path=test_cases_path)
        return verify(solution_path)
    if not accepts_one and _binds(signature.bind, solution_path, test_cases_path=test_cases_path):
        return verify(solution_path, test_cases_path=test_cases_path)
    return verify(*both)


def _is_plain(verify: Callable[..., object]) -> TypeGuard[FunctionType]:
    """A function that has one or more positional parameters and nothing else.

    Most verifiers are, and looking at their code is far cheaper than making a signature.
    """
    if type(verify) is not FunctionType or verify.__dict__:
        return False
    code = verify.__code__
    return bool(code.co_argcount) and not (code.co_flags & _STARRED or code.co_kwonlyargcount)


def _binds(bind: Callable[..., object], *args: object, **kwargs: object) -> bool:
    try:
        bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _finish(result: object) -> object:
    """The result itself, awaited if need be."""
    if not hasattr(type(result), "__await__"):
        return result
    import asyncio  # noqa: PLC0415 -- slow to import; most verifiers are not asynchronous

    async def wait() -> object:
        return await result  # type: ignore[misc] # checked above

    return asyncio.run(wait())


def _decode(source: str | bytes, filename: str) -> str:
    if isinstance(source, str):
        return source
    from importlib.util import decode_source  # noqa: PLC0415 -- only files may declare an encoding

    try:
        return decode_source(source)
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise _syntax_error(f"not valid {error.encoding}: {error.reason}", filename, line) from None
    except SyntaxError as error:
        raise _syntax_error(error.msg, filename, 1) from None


def _refuse_characters(text: str, filename: str) -> None:
    at, name = text.find("\0"), "a NUL character"
    if at < 0:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            at, name = error.start, "a lone surrogate, which no source file can hold"
    if at >= 0:
        raise _syntax_error(f"the source holds {name}", filename, text.count("\n", 0, at) + 1)


def _parse(text: str, filename: str) -> ast.Module:
    return _quietly(lambda: parse_source(text, filename), filename)


def _parse_indented(text: str, filename: str, error: IndentationError) -> ast.Module:
    """The tree of a source that is indented as a whole: a block under a line of ours, which is taken away."""
    try:
        tree = _parse("if 1:\n" + text, filename)
    except SyntaxError as inner:
        inner.lineno = max((inner.lineno or 1) - 1, 1)
        inner.end_lineno = max((inner.end_lineno or 1) - 1, 1)
        raise
    block = tree.body[0]
    if len(tree.body) != 1 or not isinstance(block, ast.If) or block.orelse:
        raise error
    ast.increment_lineno(tree, -1)
    return ast.Module(body=block.body, type_ignores=[])


def _first_code_line(text: str) -> str:
    lines = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    return next(lines, "")


def _quietly(step: Callable[[], _T], filename: str) -> _T:
    """What a step of compiling gives.

    To a caller who turns warnings into errors, an odd escape in a verifier would be a syntax error: such a
    step is done again without warnings.
    """
    try:
        try:
            return step()
        except SyntaxError:
            with _WARNINGS_LOCK, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return step()
    except (RecursionError, MemoryError):
        raise _syntax_error("the source is nested too deeply", filename, 1) from None


def _syntax_error(message: str, filename: str, line: int, column: int | None = None) -> SyntaxError:
    return SyntaxError(message, (filename, line, column, None))


def _walk_scope(statements: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node of a scope; functions, classes and lambdas are met, and not entered."""
    waiting = list(statements)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def _binds_verify(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef(name="verify") | ast.AsyncFunctionDef(name="verify"):
            return bool(node.decorator_list) or _takes_paths(node.args)
        case ast.ImportFrom():
            return any((alias.asname or alias.name) == "verify" for alias in node.names)
        case ast.Assign(targets=targets, value=value):
            return any(_assigns_verify(target, value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return _assigns_verify(target, value)
        case ast.NamedExpr(target=target, value=value):
            return _assigns_verify(target, value)
    return False


def _assigns_verify(target: ast.expr, value: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        if len(values) == len(target.elts):
            return any(_assigns_verify(*pair) for pair in zip(target.elts, values, strict=True))
        return any(isinstance(name, ast.Name) and name.id == "verify" for name in target.elts)
    if not (isinstance(target, ast.Name) and target.id == "verify"):
        return False
    return _takes_paths(value.args) if isinstance(value, ast.Lambda) else isinstance(value, _MAYBE_CALLABLE)


def _takes_paths(args: ast.arguments) -> bool:
    """Whether a function can be called with a solution's path, or with that and the path of test cases."""
    positional = [*args.posonlyargs, *args.args]
    required = len(positional) - len(args.defaults)
    named = {
        arg.arg
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        if default is None and arg.arg not in PARAMETERS
    }
    return required <= len(PARAMETERS) and bool(positional or args.vararg) and not named


def _wrap_body(tree: ast.Module, filename: str) -> ast.Module:
    """The module of a function `verify` whose statements are those of a body."""
    own = list(_walk_scope(tree.body))
    for node in own:
        if isinstance(node, ast.Yield | ast.YieldFrom):
            raise _syntax_error("'yield' outside function", filename, node.lineno, node.col_offset + 1)
    # These two may only stand in a module: __future__ imports, and imports of everything.
    hoisted = [node for node in tree.body if _belongs_in_module(node)]
    statements: list[ast.stmt] = [node for node in tree.body if not _belongs_in_module(node)]
    # A function inside the body that says `global x` means the body's own x.
    shared = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    shared -= set(PARAMETERS)
    if shared:
        position = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}
        statements.insert(0, ast.Global(names=sorted(shared), **position))
    keyword = "async def" if any(map(_is_asynchronous, own)) else "def"
    module = ast.parse(f"{keyword} verify(solution_path, test_cases_path=None): pass", filename)
    function = cast("ast.FunctionDef", module.body[0])
    function.body = statements or function.body
    return ast.Module(body=[*hoisted, function], type_ignores=[])


def _is_asynchronous(node: ast.AST) -> bool:
    if isinstance(node, ast.comprehension):
        return bool(node.is_async)
    return isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith)


def _belongs_in_module(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ImportFrom):
        return False
    return node.module == "__future__" or any(alias.name == "*" for alias in node.names)
