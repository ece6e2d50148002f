"""solution_source: what a solution says, without running it."""

import ast
import codecs
import os
import re
import unicodedata
import warnings
from collections.abc import Iterator

from deepgym_solution.errors import SolutionError, exception_class

# A file of a solution larger than this is no program.
MAX_SOURCE_BYTES = 64 * 1024 * 1024

# A syntax tree takes a few hundred bytes for each character of a crafted source. No honest answer is as long.
_MAX_PARSED_CHARS = 1_000_000

# Encodings that a source may declare. Others (idna, punycode) can take quadratic time.
_ENCODINGS = {"utf-8", "ascii", "iso8859-1", "cp1252"}
_DECLARATION = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_SyntaxError = exception_class(["SyntaxError"])
_NotTextError = exception_class(["UnicodeDecodeError"])


def solution_source(path: str | os.PathLike[str], name: str | None = None) -> str:
    r"""The source of a solution, or of one function or class at its top level.

    Line ends are `\n`, and a byte order mark is left out.

    Args:
        path: The solution's file; a verifier is given it as `solution_path`.
        name: A function, class or assigned lambda at the top level, which includes the branches of `if`, `try`,
            `with` and loops. Its decorators belong to it, comments before and after it do not; it is shown
            without the indentation of its branch. Where there are several of the name, the last one counts.

    Raises:
        SolutionError: The file is too large, is not text (also a UnicodeDecodeError) or, where a name is
            given, cannot be parsed (also a SyntaxError) or defines nothing of the name.
        OSError: The file cannot be read: the verifier's mistake.
    """
    with open(path, "rb") as file:
        raw = file.read(MAX_SOURCE_BYTES + 1)
    if len(raw) > MAX_SOURCE_BYTES:
        raise SolutionError(f"the solution is larger than {MAX_SOURCE_BYTES:,} bytes")
    text = _decoded(raw)
    return text if name is None else _definition(text, name)


def _decoded(raw: bytes) -> str:
    raw = raw.removeprefix(codecs.BOM_UTF8)
    encoding = _encoding(raw)
    try:
        # An answer with a lone surrogate in it is text, though Python will refuse to run it.
        text = raw.decode(encoding, "surrogatepass" if encoding == "utf-8" else "strict")
    except UnicodeDecodeError as error:
        raise _NotTextError(
            f"the solution is not {encoding} text: {error.reason} at byte {error.start}"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _encoding(raw: bytes) -> str:
    """The encoding that one of the first two lines declares, by the rules of the language."""
    for line in re.split(rb"\r\n|\r|\n", raw[:1000], maxsplit=2)[:2]:
        if match := _DECLARATION.match(line):
            declared = match[1].decode("ascii", "replace")
            try:
                encoding = codecs.lookup(declared).name
            except LookupError:
                encoding = ""
            if encoding not in _ENCODINGS:
                raise _SyntaxError(f"the solution declares the encoding {declared[:50]!r}: use UTF-8")
            return encoding
        if line.strip() and not line.lstrip().startswith(b"#"):
            break  # code: a declaration on the second line would not count
    return "utf-8"


def _definition(text: str, name: str) -> str:
    wanted = unicodedata.normalize("NFKC", name)  # as the language does with identifiers
    found: ast.stmt | None = None
    for statement in _top_level(_parsed(text)):
        if _defines(statement, wanted):
            found = statement
    if found is None:
        raise SolutionError(f"the solution defines no function or class {name[:200]!r} at its top level")
    return _source_of(text, found)


def _parsed(text: str) -> ast.Module:
    if len(text) > _MAX_PARSED_CHARS:
        raise _SyntaxError(f"the solution is longer than {_MAX_PARSED_CHARS:,} characters: too long to parse")
    if "\0" in text:
        raise _SyntaxError("the solution cannot be parsed: it holds a NUL character")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in the solution is not the verifier's concern
            return ast.parse(text)
    except SyntaxError as error:
        raise _SyntaxError(f"the solution cannot be parsed: {error.msg} in line {error.lineno}") from None
    except UnicodeEncodeError:
        raise _SyntaxError("the solution cannot be parsed: it holds a lone surrogate") from None
    except (RecursionError, MemoryError):
        raise _SyntaxError("the solution cannot be parsed: it is nested too deeply") from None


def _top_level(module: ast.Module) -> Iterator[ast.stmt]:
    """The statements that run when the module is loaded, in order, into every branch but no definition."""
    todo: list[ast.stmt] = module.body[::-1]
    while todo:
        statement = todo.pop()
        yield statement
        if not isinstance(statement, _Definition):
            todo += reversed(list(_branches(statement)))


def _branches(statement: ast.AST) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, (ast.excepthandler, ast.match_case)):
            yield from _branches(child)


def _defines(statement: ast.stmt, name: str) -> bool:
    if isinstance(statement, _Definition):
        return statement.name == name
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    else:
        return False
    is_name = any(isinstance(target, ast.Name) and target.id == name for target in targets)
    return is_name and isinstance(statement.value, ast.Lambda)


def _source_of(text: str, statement: ast.stmt) -> str:
    if not isinstance(statement, _Definition):  # it may share its line with others
        return (ast.get_source_segment(text, statement) or "") + "\n"
    first = min([statement.lineno, *(decorator.lineno for decorator in statement.decorator_list)])
    last = statement.end_lineno or first
    inside_strings = _lines_inside_strings(statement)
    lines = [
        line if number in inside_strings else _unindented(line, statement.col_offset)
        for number, line in enumerate(text.split("\n")[first - 1 : last], start=first)
    ]
    return "\n".join(lines) + "\n"


def _unindented(line: str, width: int) -> str:
    """The line without as much of its indentation as the branch has."""
    return line[:width].lstrip(" \t\f") + line[width:]


def _lines_inside_strings(statement: ast.stmt) -> set[int]:
    """The numbers of lines that begin inside of a string, whose blanks belong to it."""
    # Ranges first: the parts of one long f-string may all claim to be as long as the whole.
    ranges = {
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(statement)
        if isinstance(node, (ast.Constant, ast.JoinedStr))
    }
    return {number for first, last in ranges for number in range(first + 1, last + 1)}
