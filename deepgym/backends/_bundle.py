"""The runner and all that it needs of ours as one file: a zip that Python runs.

`deepgym_solution` and `verifyit` travel whole; of `deepgym`, what the runner and the judge import, and what
that imports in turn, found in the source. All of it has to be content with the standard library.
"""

import ast
import functools
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import deepgym
import deepgym_solution
import verifyit

_MAIN = """\
import sys
from deepgym.backends._runner import main
sys.exit(main(sys.argv[1:]))
"""

# Where the search begins: the runner imports some of these only when it needs them.
ROOTS = (
    "deepgym.backends._runner",
    "deepgym.backends.local.hosts",
    "deepgym.backends.local.runs",
    "deepgym._judge.host",
    "deepgym._judge.job",
)

# One date for all files: the same code gives the same bytes.
_DATE = (2020, 1, 1, 0, 0, 0)


@functools.cache
def runner_bundle() -> bytes:
    """The file to be uploaded into every box."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("__main__.py", _DATE), _MAIN)
        for name, path in sorted(_files()):
            archive.writestr(zipfile.ZipInfo(name, _DATE), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _files() -> Iterator[tuple[str, Path]]:
    home = Path(str(deepgym.__file__)).parent
    for path in travelling_modules():
        yield f"deepgym/{path.relative_to(home).as_posix()}", path
    for package in (deepgym_solution, verifyit):
        home = Path(str(package.__file__)).parent
        for path in home.rglob("*.py"):
            yield f"{home.name}/{path.relative_to(home).as_posix()}", path


def travelling_modules() -> set[Path]:
    """The files of the package deepgym that the runner needs."""
    found: set[Path] = set()
    pending = list(ROOTS)
    while pending:
        name = pending.pop()
        path = _file_of(name)
        if path is None or path in found:
            continue
        found.add(path)
        pending.append(name.rpartition(".")[0])
        pending += _imports_of(path)
    return found


def _file_of(name: str) -> Path | None:
    """The file of one of our modules; None for a name inside a module, and for other packages."""
    first, *rest = name.split(".")
    if first != "deepgym":
        return None
    path = Path(str(deepgym.__file__)).parent.joinpath(*rest)
    candidates = (path.with_suffix(".py"), path / "__init__.py") if rest else (path / "__init__.py",)
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def _imports_of(path: Path) -> Iterator[str]:
    """What a file imports when it is imported."""
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
