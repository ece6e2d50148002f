"""`deepgym new`: a folder with a small environment in it that is sound as it stands, to be changed piece by piece.

The files are templates in `deepgym/scaffolds`, one folder a kind. `{{name}}`, `{{function}}` and `{{class}}` stand for
the environment's name and for identifiers made of it.
"""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal, get_args

from deepgym.errors import UsageError, one_of

__all__ = ["KINDS", "Kind", "write_scaffold"]

Kind = Literal["function", "class", "script", "stdio", "repo-patch", "spec"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")
_SUFFIX = ".tmpl"
# Kinds whose verifiers compare values by the shared helper.
_COMPARING = ("function", "class", "script", "stdio", "repo-patch")


def write_scaffold(path: Path, kind: str = "function") -> list[Path]:
    """Write a new environment's folder.

    Args:
        path: The folder, which must not exist or be empty; its name is the environment's.
        kind: What answers are.

    Returns:
        The files that were written.

    Raises:
        UsageError: There is no such kind, the name cannot be one, or the folder is not empty.
        OSError: The folder cannot be written.
    """
    if kind not in KINDS:
        raise UsageError(f"there is no kind {kind!r}: use {one_of(KINDS)}")
    if not _NAME.match(path.name):
        raise UsageError(f"{path.name!r} cannot be a name: use letters, digits, '.', '_' and '-'")
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{path} is there already: choose another name, or remove it")
    words = _words(path.name)
    root = files("deepgym") / "scaffolds"
    sources = _walk(root / kind)
    if kind in _COMPARING:
        sources |= _walk(root / "_common")
    written = []
    for name, source in sorted(sources.items()):
        target = path / name.removesuffix(_SUFFIX)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text(encoding="utf-8")
        for word, replacement in words.items():
            text = text.replace("{{" + word + "}}", replacement)
        target.write_text(text, encoding="utf-8")
        written.append(target)
    return written


def _words(name: str) -> dict[str, str]:
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", name) if part]
    function = "_".join(parts).lower()
    if not function.isidentifier() or keyword.iskeyword(function):
        function = f"solve_{function}"
    return {
        "name": name,
        "function": function,
        "class": "".join(part[0].upper() + part[1:] for part in function.split("_")),
    }


def _walk(folder: Traversable, prefix: str = "") -> dict[str, Traversable]:
    found: dict[str, Traversable] = {}
    for child in folder.iterdir():
        if child.is_dir():
            found |= _walk(child, f"{prefix}{child.name}/")
        elif child.name.endswith(_SUFFIX):
            found[prefix + child.name] = child
    return found
