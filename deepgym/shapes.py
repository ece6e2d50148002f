"""The shape of an environment's verifier, found and checked before anything runs.

Detection and compilation are those of `deepgym._judge.shape`, so that what is accepted here is what runs
there. A verifier that cannot be parsed is the caller's mistake, and says so with the author's own line
numbers.
"""

from __future__ import annotations

import ast
import functools
import tomllib
from typing import TYPE_CHECKING, Literal, get_args

from deepgym._judge.shape import compile_verifier, parse_verifier
from deepgym.errors import UsageError, VerifierSyntaxError, one_of
from deepgym.models import VerifierMode

if TYPE_CHECKING:
    from deepgym.models import Environment

__all__ = ["ResolvedShape", "resolve_environment_shape", "resolve_shape"]

ResolvedShape = Literal["script", "verify_function", "body", "spec"]


def resolve_environment_shape(env: Environment) -> ResolvedShape:
    """The shape of an environment's verifier, which is known to compile.

    Raises:
        UsageError: The verifier's file cannot be read, or cannot be a verifier.
        VerifierSyntaxError: It cannot be parsed.
    """
    return resolve_shape(env.read_verifier(), mode=env.verifier_mode, filename=env.verifier_filename)


@functools.lru_cache(maxsize=256)
def resolve_shape(
    source: str | bytes, *, mode: VerifierMode = "auto", filename: str = "verifier.py"
) -> ResolvedShape:
    """The shape of a verifier's source; `auto` finds it by parsing, and a `.toml` file is a spec.

    Raises:
        UsageError: The mode is unknown, the source is empty, or its `verify` cannot be called with a path.
        VerifierSyntaxError: It cannot be parsed, or is not of the shape that the mode demands.
    """
    if mode not in get_args(VerifierMode):
        raise UsageError(f"unknown verifier_mode {mode!r}: use {one_of(get_args(VerifierMode))}")
    if not source.strip():
        raise UsageError(f"{filename} is empty: a verifier must return or print a verdict")
    if mode == "spec" or (mode == "auto" and filename.endswith(".toml")):
        return _check_spec(source, filename)
    try:
        program = compile_verifier(source, mode=mode, filename=filename)
    except SyntaxError as error:
        if error.msg == "'return' outside function" and mode in {"script", "verify_function"}:
            error.msg += f" (the verifier_mode is {mode!r}; a verifier that returns is a 'body')"
        raise VerifierSyntaxError(error) from None
    if mode == "auto" and program.shape == "script":
        _refuse_unusable_verify(parse_verifier(source, filename), filename)
    return program.shape


def _check_spec(source: str | bytes, filename: str) -> ResolvedShape:
    try:
        text = source if isinstance(source, str) else source.decode()
        tomllib.loads(text)
    except ValueError as error:
        raise UsageError(f"{filename} is not a TOML spec: {error}") from None
    return "spec"


def _refuse_unusable_verify(tree: ast.Module, filename: str) -> None:
    """Tell the author of a module that only defines things why it would print nothing.

    Raises:
        UsageError: It defines a `verify` that takes no path, and runs nothing.
    """
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if not isinstance(node, (*definitions, ast.Assign, ast.AnnAssign)):
            return
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "verify":
            message = (
                f"{filename}, line {node.lineno}: verify() cannot be called with a solution's path: "
                "define verify(solution_path, test_cases_path=None)"
            )
            raise UsageError(message)
