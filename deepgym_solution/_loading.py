"""load_solution and load_files: from source text to a solution that can be called."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace

from deepgym_solution import _runtime
from deepgym_solution._proxy import Solution
from deepgym_solution._session import Program, Session
from deepgym_solution.errors import SolutionError

# A file of a solution larger than this is no program; and it has to travel in one frame.
MAX_SOURCE_BYTES = 32 * 1024 * 1024


# What a file system takes.
_MAX_PART_BYTES = 255
_MAX_PATH_BYTES = 2_048


def load_solution(
    path: str | os.PathLike[str],
    *,
    case_timeout: float | None = None,
    allow_subprocess: bool = False,
    loopback_port: int | None = None,
) -> Solution:
    """Start the solution in a sealed process of its own and load it there.

    Args:
        path: The solution's source; a verifier is given it as `solution_path`.
        case_timeout: Seconds that each call (and loading) may take; the environment's `case_timeout` unless given.
        allow_subprocess: The solution may start programs.
        loopback_port: A port of 127.0.0.1 on which the verifier serves and the solution may connect.

    Raises:
        SolutionError: Loading it raised, hung or died; it is also the builtin exception that was raised.
        LaunchError: The machine could not start it (a BaseException: a verifier's `except Exception` lets it pass).
        FileNotFoundError: There is no such file: the verifier's mistake.
    """
    with open(path, "rb") as handle:
        source = handle.read(MAX_SOURCE_BYTES + 1)
    if len(source) > MAX_SOURCE_BYTES:
        raise SolutionError(f"the solution is larger than {MAX_SOURCE_BYTES} bytes")
    program = Program({"solution.py": source}, "solution")
    return _load(program, case_timeout, allow_subprocess=allow_subprocess, loopback_port=loopback_port)


def load_files(
    files: Mapping[str, str | bytes],
    entry: str,
    *,
    shadow_stdlib: bool = False,
    case_timeout: float | None = None,
    allow_subprocess: bool = False,
    loopback_port: int | None = None,
) -> Solution:
    """Start a solution that consists of several files: packages, data files, relative imports.

    Args:
        files: Content by relative path, such as {"pkg/__init__.py": "", "pkg/core.py": "..."}.
        entry: The module to call, such as "pkg.core".
        shadow_stdlib: Allow files whose name hides a module of the standard library.
        case_timeout: Seconds that each call (and loading) may take; the environment's `case_timeout` unless given.
        allow_subprocess: The solution may start programs.
        loopback_port: A port of 127.0.0.1 on which the verifier serves and the solution may connect.

    Raises:
        SolutionError: A path is absolute, climbs out, hides the standard library or cannot be made; or loading failed.
        LaunchError: The machine could not start it.
        ValueError: entry is no module name.
    """
    if not all(part.isidentifier() for part in entry.split(".")):
        raise ValueError(f"entry={entry!r} is no module name such as 'pkg.core'")
    checked: dict[str, bytes] = {}
    for name, content in files.items():
        _check_name(name, shadow_stdlib=shadow_stdlib)
        checked[name] = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
    _check_folders(checked)
    program = Program(checked, entry, is_package_set=True)
    return _load(program, case_timeout, allow_subprocess=allow_subprocess, loopback_port=loopback_port)


def _check_name(name: str, *, shadow_stdlib: bool) -> None:
    parts = name.split("/")
    if name.startswith("/") or "\0" in name or "\\" in name or any(part in ("", ".", "..") for part in parts):
        raise SolutionError(f"{name!r} is no relative path inside the solution's folder")
    try:
        lengths = [len(part.encode("utf-8")) for part in parts]
    except UnicodeEncodeError:
        raise SolutionError(f"{name!r} is no file name: it holds a lone surrogate") from None
    if max(lengths) > _MAX_PART_BYTES or sum(lengths) > _MAX_PATH_BYTES:
        raise SolutionError(f"the file name {name[:100]!r}... is too long")
    top = parts[0].split(".")[0]
    if not shadow_stdlib and top in sys.stdlib_module_names:
        raise SolutionError(f"{name!r} would hide the standard library's {top!r}")


def _check_folders(files: Mapping[str, bytes]) -> None:
    for name in files:
        for end in (at for at, character in enumerate(name) if character == "/"):
            if name[:end] in files:
                raise SolutionError(f"{name[:end]!r} is a file, and {name!r} needs it to be a folder")


def _load(
    program: Program, case_timeout: float | None, *, allow_subprocess: bool, loopback_port: int | None
) -> Solution:
    current = _runtime.current()
    policy = replace(current.policy, allow_subprocess=allow_subprocess, loopback_port=loopback_port)
    timeout_s = current.case_timeout_s if case_timeout is None else float(case_timeout)
    if not timeout_s > 0:
        raise ValueError(f"case_timeout={case_timeout!r}: use a number of seconds above 0")
    session = Session(
        current.control(), program, policy, current.printed, case_timeout_s=timeout_s, seed=current.seed
    )
    session.start()
    current.sessions.add(session)
    return Solution(session)
