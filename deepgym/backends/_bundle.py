"""The runner and all that it needs of ours as one file: a zip that Python runs."""

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

# What of the package deepgym travels; deepgym_solution and verifyit travel whole.
_TRAVELS = (
    "__init__.py",
    "errors.py",
    "_judge/*.py",
    "backends/__init__.py",
    "backends/_runner.py",
    "backends/local/*.py",
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
    for pattern in _TRAVELS:
        for path in home.glob(pattern):
            yield f"deepgym/{path.relative_to(home).as_posix()}", path
    for package in (deepgym_solution, verifyit):
        home = Path(str(package.__file__)).parent
        for path in home.rglob("*.py"):
            yield f"{home.name}/{path.relative_to(home).as_posix()}", path
