"""apply_patch: a solution's diff, applied in memory to the files of a project.

Nothing is guessed. A hunk goes where its header says if its lines are there; else to the only place in the
file where they are. Where there is none, or more than one, the patch fails. Line ends are the one thing that
is forgiven: where a file has CRLF and the diff has not (or the other way round), the file keeps its own.
"""

from collections.abc import Iterable, Mapping
from typing import overload

from deepgym_solution._patch_hunks import apply_hunks
from deepgym_solution._patch_paths import refuse_protected
from deepgym_solution._patch_syntax import FilePatch, parse_patch
from deepgym_solution.errors import PatchError

# A patch of this size rewrites a large project; what is larger is not meant to be read.
MAX_PATCH_CHARS = 16 * 1024 * 1024


@overload
def apply_patch(diff: str, files: Mapping[str, str], *, protect: Iterable[str] = ()) -> dict[str, str]: ...
@overload
def apply_patch(
    diff: str, files: Mapping[str, str | bytes], *, protect: Iterable[str] = ()
) -> dict[str, str | bytes]: ...
def apply_patch(
    diff: str, files: Mapping[str, str | bytes], *, protect: Iterable[str] = ()
) -> dict[str, str] | dict[str, str | bytes]:
    """The files as they are after the patch.

    Understands unified diffs with git's headers or without: several files, creation, deletion, renames,
    copies, modes (which change nothing here), missing newlines at the end, CRLF, and diffs inside of prose
    and code fences.

    Args:
        diff: The solution's answer.
        files: Content by path, with slashes and relative to the project. Bytes stay bytes.
        protect: Patterns of paths that the patch must not change, create, delete or rename, such as
            ["tests/*", "conftest.py"]. `*` matches slashes too; a pattern without a slash matches a name at
            any depth; a folder's name protects what is in it. Case makes no difference.

    Returns:
        A new dict: the files that the patch leaves alone, and the ones that it changes.

    Raises:
        ProtectedPathError: It touches a protected path.
        PatchError: It holds no diff, is malformed, does not fit, or names paths outside the project, `.git`,
            symlinks, submodules or binary data. The message says which hunk of which file.
        TypeError: protect is a single string.
    """
    if isinstance(protect, str):
        raise TypeError(f"protect is a list of patterns: give [{protect!r}]")
    if len(diff) > MAX_PATCH_CHARS:
        raise PatchError(f"the patch is larger than {MAX_PATCH_CHARS:,} characters")
    patches = parse_patch(diff, files)
    if not patches:
        raise PatchError("the answer holds no unified diff: give one with the headers --- and +++")
    patterns = tuple(protect)
    for patch in patches:
        refuse_protected(patch.new, patterns)
        if patch.kind != "copy":
            refuse_protected(patch.old, patterns)
    project = _Project(files, patches)
    for patch in patches:
        project.apply(patch)
    return project.result()


class _Project:
    """The files while patches are applied to them, one after the other.

    A patch describes all of its files as they were before it, so that two files can swap their names.
    """

    def __init__(self, files: Mapping[str, str | bytes], patches: Iterable[FilePatch]) -> None:
        self._before = files
        self._leaving = {patch.old for patch in patches if patch.kind in ("delete", "rename")}
        self._taken: set[str] = set()
        self._written: dict[str, str | bytes] = {}
        self._has_only_bytes = bool(files) and all(isinstance(content, bytes) for content in files.values())

    def apply(self, patch: FilePatch) -> None:
        if patch.kind == "create":
            content: str | bytes = b"" if self._has_only_bytes else ""
        elif patch.kind == "copy":
            content = self._look(patch.old)
        else:
            content = self._take(patch.old)
        content = _patched(content, patch)
        if patch.kind == "delete":
            if content and patch.hunks:
                raise PatchError(f"{patch.old} is deleted, but the patch leaves lines in it", file=patch.old)
        else:
            self._put(patch.new, content, is_new=patch.kind != "modify")

    def result(self) -> dict[str, str | bytes]:
        after: dict[str, str | bytes] = {}
        for path, content in self._before.items():
            if path in self._written:
                after[path] = self._written.pop(path)
            elif path not in self._taken:
                after[path] = content
        created = list(self._written)
        after |= self._written
        folders = {path[:end] for path in after for end in _slashes(path)}
        for path in created:
            if path in folders or any(path[:end] in after for end in _slashes(path)):
                raise PatchError(f"{path} would be a file and a folder at once", file=path)
        return after

    def _look(self, path: str) -> str | bytes:
        if path in self._before:
            return self._before[path]
        if path in self._written:
            return self._written[path]
        raise PatchError(f"{path} does not exist", file=path)

    def _take(self, path: str) -> str | bytes:
        if path in self._before and path not in self._taken:
            self._taken.add(path)
            return self._before[path]
        if path in self._written:
            return self._written.pop(path)
        raise PatchError(f"{path} does not exist", file=path)

    def _put(self, path: str, content: str | bytes, *, is_new: bool) -> None:
        stays = path in self._before and path not in self._taken and path not in self._leaving
        if path in self._written or (is_new and stays):
            raise PatchError(f"{path} exists already", file=path)
        self._written[path] = content


def _slashes(path: str) -> list[int]:
    return [position for position, char in enumerate(path) if char == "/"]


def _patched(content: str | bytes, patch: FilePatch) -> str | bytes:
    if not patch.hunks:
        return content
    if isinstance(content, str):
        return apply_hunks(content, patch)
    # Bytes that are not UTF-8 come back as they are.
    text = apply_hunks(content.decode("utf-8", "surrogateescape"), patch)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise PatchError(f"the patch puts text into {patch.new} that is not UTF-8", file=patch.new) from None
