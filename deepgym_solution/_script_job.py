"""What run_solution was asked to run, checked, and as it will look inside the box."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deepgym_solution import _runtime

SCRIPT_FOLDER = "/tmp/solution"  # noqa: S108 - a path inside the box's own /tmp
_DEFAULT_CWD = "/tmp/work"  # noqa: S108


@dataclass(frozen=True, slots=True)
class ScriptJob:
    """What goes into the box.

    Attributes:
        is_chosen: The verifier chose the interpreter, and not a line of the solution's own.
    """

    inner_path: str
    argv: list[str]
    interpreter: list[str]
    is_chosen: bool
    env: dict[str, str]
    outer_cwd: str | None
    inner_cwd: str
    source: bytes | None


def make_job(
    path: str | os.PathLike[str],
    args: Sequence[str],
    cwd: str | os.PathLike[str] | None,
    env: Mapping[str, str] | None,
    interpreter: str | Sequence[str] | None,
) -> ScriptJob:
    """The job of one call of run_solution, whose arguments these are.

    Raises:
        FileNotFoundError: path or cwd does not exist.
        TypeError: args is one string.
        ValueError: cwd holds the verifier's own files, or an argument or variable cannot be given to a program.
    """
    if isinstance(args, (str, bytes)):
        raise TypeError("args is a list of strings, not one string")
    real = os.path.realpath(os.fspath(path))
    with open(real, "rb") as handle:
        source = handle.read()
    outer = None if cwd is None else _checked_cwd(cwd)
    inner_cwd = outer if outer is not None and outer.startswith("/tmp/") else _DEFAULT_CWD  # noqa: S108
    if outer is not None and real.startswith(outer + os.sep):
        inner_path, content = inner_cwd + real[len(outer) :], None
    else:
        inner_path, content = f"{SCRIPT_FOLDER}/{os.path.basename(real)}", source
    words = [interpreter] if isinstance(interpreter, str) else list(interpreter or ())
    return ScriptJob(
        inner_path=inner_path,
        argv=[_moved(_text(arg, "an argument"), outer, inner_cwd) for arg in args],
        interpreter=words or _shebang(source, inner_path),
        is_chosen=bool(words),
        env={_variable(name): _text(value, f"env[{name!r}]") for name, value in (env or {}).items()},
        outer_cwd=outer,
        inner_cwd=inner_cwd,
        source=content,
    )


def make_command_job(argv: Sequence[str], cwd: str | os.PathLike[str]) -> ScriptJob:
    """The job of running a command line as it is.

    Raises:
        FileNotFoundError: There is no such program, or cwd does not exist.
        ValueError: An argument cannot be given to a program.
    """
    outer = _checked_cwd(cwd)
    inner_cwd = outer if outer.startswith("/tmp/") else _DEFAULT_CWD  # noqa: S108
    program = argv[0]
    found = os.path.join(outer, program) if "/" in program else shutil.which(program)
    if found is None or not os.path.isfile(found):
        raise FileNotFoundError(errno.ENOENT, f"there is no program {program!r}")
    first, *rest = (_text(arg, "an argument") for arg in (argv[1:] or [program]))
    return ScriptJob(first, rest, [program], True, {}, outer, inner_cwd, None)


def _checked_cwd(cwd: str | os.PathLike[str]) -> str:
    outer = os.path.realpath(os.fspath(cwd))
    if not os.path.isdir(outer):
        raise FileNotFoundError(f"cwd={str(cwd)!r} is no folder")
    own = _runtime.current().folder
    if own is not None and (own == outer or own.startswith(outer.rstrip("/") + "/")):
        # It would show the solution the verifier and its answers, and let it put modules where the judge imports from.
        raise ValueError(
            f"cwd={str(cwd)!r} holds the verifier's own files: make the solution a folder of its own"
        )
    return outer


def _moved(arg: str, outer: str | None, inner: str) -> str:
    """An argument that names a path in the folder, as the path that it has in the box."""
    if outer is None or outer == inner:
        return arg
    return inner + arg[len(outer) :] if arg == outer or arg.startswith(outer + "/") else arg


def _text(value: object, what: str) -> str:
    text = os.fsdecode(value) if isinstance(value, (str, bytes, os.PathLike)) else str(value)
    if "\0" in text:
        raise ValueError(f"{what} holds a NUL character, which no program can be given")
    return text


def _variable(name: str) -> str:
    if not name or "=" in name or "\0" in name:
        raise ValueError(f"env names a variable {name!r}: no variable can have this name")
    return name


def _shebang(source: bytes, inner_path: str) -> list[str]:
    """The interpreter that a file names in its first line; empty for this one's own language."""
    if source.startswith(b"\x7fELF"):
        return [inner_path]
    if not source.startswith(b"#!"):
        return []
    words = source[2:].split(b"\n", 1)[0].decode("utf-8", "replace").replace("\0", "").split()
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-")]
    if not words or os.path.basename(words[0]).startswith("python"):
        return []
    return words
