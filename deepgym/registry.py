"""Environments by name: where they are looked for, how one is loaded, and the user's own registry.

A registry root is a folder of environment folders, and of sets of them (`set/name`): a set is a folder, or a
packed file (`deepgym.packed`). The roots, in the order
in which they are searched: the folders in `DEEPGYM_ENVIRONMENTS` (separated as in PATH), the user's data
folder, and the environments that come with deepgym, which lie beside the package in a checkout and inside it
when installed. Names that begin with `_` or `.` are no environments: `_shared` is a good place for files that
several of them use.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from deepgym.errors import EnvironmentFileError, EnvironmentNotFoundError, UsageError
from deepgym.folders import EnvironmentFolder, is_environment_folder, read_folder
from deepgym.metadata import Metadata, load_metadata
from deepgym.packed import SUFFIX, Summary, is_packed_set, open_set, set_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deepgym.models import Environment

__all__ = [
    "Entry",
    "add_environment",
    "find_environments",
    "list_environments",
    "load_environment",
    "load_folder",
    "registry_roots",
    "remove_environment",
    "resolve_environments",
    "set_members",
    "user_registry",
]

PATH_VARIABLE = "DEEPGYM_ENVIRONMENTS"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)?\Z")


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an environment of a registry is: its name there, its folder, and the registry's root."""

    name: str
    path: Path
    root: Path

    def load(self) -> EnvironmentFolder:
        """The folder, read.

        Raises:
            EnvironmentFileError: A file is missing, cannot be read or is malformed.
        """
        return read_folder(self.path, root=self.root, name=self.name)

    def summary(self) -> Summary:
        """What a list shows of it.

        Raises:
            EnvironmentFileError: A file is missing, cannot be read or is malformed.
        """
        env = self.load().environment
        kind, domain = env.metadata.get("type"), env.metadata.get("domain")
        return Summary(self.name, kind, env.difficulty, domain, env.tags)


@dataclass(frozen=True, slots=True)
class PackedEntry(Entry):
    """An environment in a packed set: its path is the set's file and, below it, the record's name."""

    def load(self) -> EnvironmentFolder:
        """The record, read.

        Raises:
            EnvironmentFileError: The set cannot be read, or is malformed.
        """
        return open_set(self.path.parent).load(self.path.name, shown_as=self.name)

    def summary(self) -> Summary:
        """What a list shows of it, from the set's index.

        Raises:
            EnvironmentFileError: The set cannot be read.
        """
        return replace(open_set(self.path.parent).summaries[self.path.name], name=self.name)


def load_environment(name_or_path: str | os.PathLike[str]) -> Environment:
    """The environment of a registry name, a `set/name`, or a folder such as `./my_task`.

    Raises:
        EnvironmentNotFoundError: There is none of that name, or no such folder.
        EnvironmentFileError: A file of its folder is missing or malformed; the error names file, field and
        remedy.
    """
    return load_folder(name_or_path).environment


def load_folder(name_or_path: str | os.PathLike[str]) -> EnvironmentFolder:
    """The same as `load_environment`, with the reference solution and the known right and wrong ones.

    Raises:
        EnvironmentNotFoundError: There is none of that name, or no such folder.
        EnvironmentFileError: A file of its folder is missing or malformed.
    """
    text = os.fspath(name_or_path)
    meant_as_path = (
        not isinstance(name_or_path, str) or text.startswith((".", "/", "~")) or not _NAME.match(text)
    )
    if not meant_as_path:
        entry = _find(text)
        if entry is not None:
            return entry.load()
    path = Path(os.path.abspath(os.path.expanduser(text)))
    if is_environment_folder(path):
        return _entry_of(path).load()
    # The suffix may be left out, as it is in a registry.
    for packed in (path.parent, Path(f"{path.parent}{SUFFIX}")):
        if is_packed_set(packed):
            return open_set(packed).load(path.name)
    if meant_as_path:
        raise EnvironmentNotFoundError(_explain_path(text, path), name=text)
    raise EnvironmentNotFoundError(_explain_name(text), name=text)


def list_environments(*, tags: Iterable[str] = (), difficulty: str | None = None) -> list[Environment]:
    """The environments of all registries, by name; a folder that cannot be read is skipped with a warning.

    Args:
        tags: Only those that have all of these tags.
        difficulty: Only those of this difficulty.
    """
    wanted = {tags} if isinstance(tags, str) else set(tags)
    found = []
    for entry in find_environments():
        try:
            summary = entry.summary() if isinstance(entry, PackedEntry) else None
            if summary and not (wanted <= set(summary.tags) and difficulty in {None, summary.difficulty}):
                continue
            environment = entry.load().environment
        except EnvironmentFileError as error:
            warnings.warn(f"environment {entry.name!r} is left out: {error}", RuntimeWarning, stacklevel=2)
            continue
        if wanted <= set(environment.tags) and difficulty in {None, environment.difficulty}:
            found.append(environment)
    return found


def find_environments() -> list[Entry]:
    """Where the environments of all registries are, by name; of two with one name, the first root's."""
    found: dict[str, Entry] = {}
    for root in registry_roots():
        for entry in _scan(root):
            found.setdefault(entry.name, entry)
    return [found[name] for name in sorted(found)]


def resolve_environments(names: Iterable[str]) -> list[tuple[str, Environment]]:
    """The environments that names mean, each with a name that `load_environment` takes.

    Args:
        names: Environments, folders of one, and whole sets by their name in a registry or by their file.

    Raises:
        EnvironmentNotFoundError: A name means nothing.
        EnvironmentFileError: A file is missing or malformed.
    """
    return [(member, load_environment(member)) for name in names for member in set_members(name) or [name]]


def set_members(name: str) -> list[str]:
    """The names of a set's environments, as `load_environment` takes them; none, where the name is not a set's.

    Args:
        name: A set's name in a registry, or the file of a packed set.

    Raises:
        EnvironmentFileError: The file is no packed set.
    """
    path = os.path.expanduser(name)
    if is_packed_set(path):
        # A path that could be a name would be looked for in the registries.
        prefix = path if path.startswith((".", os.sep)) else os.path.join(".", path)
        return [f"{prefix}/{record}" for record in open_set(path).summaries]
    return [entry.name for entry in find_environments() if entry.name.startswith(f"{name}/")]


def registry_roots() -> list[Path]:
    """The registry roots that exist, in the order in which they are searched."""
    parts = os.environ.get(PATH_VARIABLE, "").split(os.pathsep)
    listed = [Path(os.path.expanduser(part)) for part in parts if part]
    roots = [Path(os.path.abspath(root)) for root in (*listed, user_registry(), *_shipped_roots())]
    return [root for root in dict.fromkeys(roots) if root.is_dir()]


def user_registry() -> Path:
    """The user's own registry, in the platform's data folder; it need not exist."""
    if sys.platform == "darwin":
        data = Path("~/Library/Application Support").expanduser()
    else:
        given = os.environ.get("XDG_DATA_HOME", "")
        # The standard says that a relative path is to be ignored.
        data = Path(given) if os.path.isabs(given) else Path("~/.local/share").expanduser()
    return data / "deepgym" / "environments"


def add_environment(path: str | os.PathLike[str]) -> str:
    """Copy an environment's folder, and what it shares with neighbours, or a packed set into the user's registry.

    Returns:
        The name under which it is found from now on.

    Raises:
        EnvironmentNotFoundError: There is no such folder.
        EnvironmentFileError: It is not sound.
        UsageError: The user's registry has one of that name, or another file where a shared one would go.
    """
    if is_packed_set(path):
        return _add_set(Path(path))
    folder = load_folder(Path(path))
    root = user_registry()
    target = root / folder.path.name
    if not _NAME.match(target.name):
        raise UsageError(f"{target.name!r} cannot be a name: use letters, digits, '.', '_' and '-'")
    if target.exists():
        raise UsageError(f"{target.name!r} is in {root} already: remove it first, or rename the folder")
    root.mkdir(parents=True, exist_ok=True)
    shared = _shared_files(folder.path, target)
    for source, copy in shared:
        if os.path.commonpath([copy, root]) != str(root):
            raise UsageError(
                f"{source} lies too far above the folder to be copied: put it under {folder.path}"
            )
        if copy.exists() and copy.read_bytes() != source.read_bytes():
            raise UsageError(f"{copy} is there with another content: rename {source.name}")
    for source, copy in shared:
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
    # Copied beside its place and renamed, so that nobody ever finds half of it.
    with tempfile.TemporaryDirectory(prefix=".adding-", dir=root) as scratch:
        copied = Path(scratch) / target.name
        shutil.copytree(folder.path, copied, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        copied.rename(target)
    return target.name


def remove_environment(name: str) -> Path:
    """Delete an environment or a packed set from the user's registry, and return where it was.

    Raises:
        EnvironmentNotFoundError: The user's registry has none of that name.
    """
    path = user_registry() / name
    packed = user_registry() / f"{name}{SUFFIX}"
    if _NAME.match(name) and "/" not in name and is_packed_set(packed):
        packed.unlink()
        return packed
    if not _NAME.match(name) or not is_environment_folder(path):
        raise EnvironmentNotFoundError(
            f"{name!r} is not in {user_registry()}: only what was added goes", name=name
        )
    shutil.rmtree(path)
    return path


def _add_set(path: Path) -> str:
    open_set(path).verify()
    root, name = user_registry(), set_name(path)
    target = root / path.name
    if not _NAME.match(name) or "/" in name:
        raise UsageError(f"{name!r} cannot be a name: use letters, digits, '.', '_' and '-'")
    if target.exists():
        raise UsageError(f"{name!r} is in {root} already: remove it first, or rename the file")
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".adding-", dir=root) as scratch:
        copied = Path(scratch) / target.name
        shutil.copyfile(path, copied)
        copied.rename(target)
    return name


def _shipped_roots() -> Iterator[Path]:
    package = Path(__file__).resolve().parent
    yield package / "_environments"
    if (package.parent / "pyproject.toml").is_file():
        yield package.parent / "environments"


def _find(name: str) -> Entry | None:
    """The first root's environment of a name; of sets, only the one that is meant is opened."""
    wanted, _, record = name.partition("/")
    for root in registry_roots():
        if is_environment_folder(root / name):
            return Entry(name, root / name, root)
        packed = root / f"{wanted}{SUFFIX}"
        if record and is_packed_set(packed) and record in open_set(packed).summaries:
            return PackedEntry(name, packed / record, root)
    return None


def _scan(root: Path, prefix: str = "") -> Iterator[Entry]:
    try:
        children = sorted(root.iterdir())
    except OSError:
        return
    base = root.parent if prefix else root
    for child in children:
        if not _NAME.match(child.name):
            continue
        if is_packed_set(child) and not prefix:
            yield from _scan_set(child, root)
        elif not child.is_dir():
            continue
        elif is_environment_folder(child):
            yield Entry(prefix + child.name, child, base)
        elif not prefix:
            yield from _scan(child, f"{child.name}/")


def _scan_set(path: Path, root: Path) -> Iterator[Entry]:
    try:
        names = open_set(path).summaries
    except EnvironmentFileError as error:
        warnings.warn(f"a packed set is left out: {error}", RuntimeWarning, stacklevel=2)
        return
    for name in names:
        yield PackedEntry(f"{set_name(path)}/{name}", path / name, root)


def _entry_of(path: Path) -> Entry:
    """The entry of a folder that was named by its path: that of a registry it lies in, else its own."""
    for root in registry_roots():
        for entry in _scan(root):
            if entry.path == path:
                return entry
    return Entry(path.name, path, path.parent)


def _shared_files(folder: Path, target: Path) -> list[tuple[Path, Path]]:
    """The support files outside a folder, and where they have to be for its copy."""
    settings = folder / "metadata.json"
    metadata = load_metadata(settings) if settings.exists() else Metadata()
    outside = [name for name in metadata.support_files if ".." in Path(name).parts]
    return [(folder / name, Path(os.path.normpath(target / name))) for name in outside]


def _explain_path(text: str, path: Path) -> str:
    if os.path.isdir(path):
        return f"{text!r} is no environment: a folder with task.md and verifier.py is one"
    if is_packed_set(path):
        return f"{text!r} is a packed set: name one of its environments, such as {text}/NAME"
    if os.path.exists(path):
        return f"{text!r} is a file: name the environment's folder"
    return f"there is no folder {text!r}: name a folder, or an environment that `deepgym list` shows"


def _explain_name(name: str) -> str:
    import difflib  # noqa: PLC0415 -- only for a message

    names = [entry.name for entry in find_environments()]
    near = difflib.get_close_matches(name, names, n=3)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "`deepgym list` shows all"
    return f"there is no environment {name!r}: {hint}"
