"""The paths in a patch: how git writes them, and which ones a patch may name.

It may name relative paths inside the project, outside of .git, that are not protected.
"""

import posixpath
import re
import unicodedata
from collections.abc import Container, Iterable
from fnmatch import fnmatchcase

from deepgym_solution.errors import PatchError, ProtectedPathError

_QUOTED_NAME = r'"(?:[^"\\]|\\.)*"'
_TWO_NAMES = re.compile(rf"({_QUOTED_NAME}|[^\" ]+) ({_QUOTED_NAME}|[^\" ]+)")
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)", re.DOTALL)
_ESCAPED = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}

# The first letters that git puts before the two names, as its settings choose.
_PREFIXES = {("a", "b"), ("i", "w"), ("c", "i"), ("c", "w"), ("o", "w"), ("1", "2")}

# The longest path that Linux takes.
_MAX_PATH_CHARS = 4096

# Deeper than any project; each folder on the way is looked at.
_MAX_PARTS = 32


def checked_path(path: str) -> str:
    """The path without `.` parts and doubled slashes.

    Raises:
        PatchError: It is empty, absolute or too long, leaves the folder, or leads into `.git`.
    """
    shown = path[:200]
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts or path.endswith("/"):
        raise PatchError(f"{shown!r} does not name a file", file=shown)
    if len(path) > _MAX_PATH_CHARS or len(parts) > _MAX_PARTS:
        raise PatchError(f"{shown!r}... is too long or too deep for a path", file=shown)
    if path.startswith("/") or (path[1:2] == ":" and path[0].isalpha()):
        raise PatchError(f"{shown!r} is an absolute path: name files relative to the project", file=shown)
    if "\\" in path or not all(map(_is_printed, path)):
        raise PatchError(f"{shown!r} holds a backslash, or a character that no path may", file=shown)
    if ".." in parts:
        raise PatchError(f"{shown!r} leads out of the project", file=shown)
    if any(map(_is_git_folder, parts)):
        raise PatchError(f"{shown!r} leads into the folder of git itself", file=shown)
    return "/".join(parts)


def refuse_protected(path: str, protect: Iterable[str]) -> None:
    """Raise ProtectedPathError when a pattern matches the path or a folder above it.

    A pattern matches whole paths, and `*` matches slashes too; one without a slash matches a name at any
    depth, as in a .gitignore. Case, Unicode forms and invisible characters make no difference, since they
    make none on some file systems.
    """
    parts = _folded(path).split("/")
    paths = ["/".join(parts[: count + 1]) for count in range(len(parts))]
    for pattern in protect:
        for glob, is_anchored in _globs(pattern):
            if any(fnmatchcase(name, glob) for name in (paths if is_anchored else parts)):
                raise ProtectedPathError(f"{path!r} is protected: the patch must leave it alone", file=path)


def header_name(line: str) -> str:
    """The name in a `---` or `+++` line, without the time after it."""
    return unquoted(line[4:].removesuffix("\r").split("\t")[0])


def git_names(text: str) -> tuple[str, str] | None:
    """The two names of a `diff --git` line, or None when it cannot be said where the first one ends."""
    if (match := _TWO_NAMES.fullmatch(text)) is not None:
        return unquoted(match[1]), unquoted(match[2])
    half = len(text) // 2
    first, second = text[:half], text[half + 1 :]
    # Names with blanks: they can only be told apart when they are the same but for the prefix.
    return (first, second) if text[half : half + 1] == " " and first[1:] == second[1:] else None


def unquoted(name: str) -> str:
    """The name that git wrote, which is quoted like a string in C when it holds unusual characters."""
    name = name.strip(" ")
    if not (len(name) > 1 and name[0] == name[-1] == '"'):
        return name

    def byte(match: re.Match[str]) -> str:
        code = match[1]
        value = int(code, 8) if code[0] in "01234567" else _ESCAPED.get(code)
        if value is None or value > 255:
            raise PatchError(f"{name[:200]} has an unknown escape {match[0]!r}")
        return chr(value)

    # Escapes stand for bytes of UTF-8; the other characters stand for themselves.
    parts = [part.encode("utf-8", "surrogatepass") for part in _ESCAPE.split(name[1:-1])[::2]]
    escapes = [byte(match).encode("latin-1") for match in _ESCAPE.finditer(name[1:-1])]
    raw = b"".join(part + escape for part, escape in zip(parts, [*escapes, b""], strict=True))
    return raw.decode("utf-8", "surrogateescape")


def without_prefixes(names: tuple[str, str], known: Container[str]) -> tuple[str, str]:
    """The names without `a/` and `b/`, where these are git's prefixes and not folders."""
    old, new = names
    letters = (old.partition("/")[0], new.partition("/")[0])
    is_old_null, is_new_null = old == "/dev/null", new == "/dev/null"
    if is_old_null:
        has_prefixes = any(letters[1] == second for _, second in _PREFIXES)
    elif is_new_null:
        has_prefixes = any(letters[0] == first for first, _ in _PREFIXES)
    else:
        has_prefixes = letters in _PREFIXES
    if not has_prefixes:
        return names
    bare_old = old if is_old_null else old.partition("/")[2]
    bare_new = new if is_new_null else new.partition("/")[2]
    if not is_old_null and bare_old not in known and old in known:
        return names
    return bare_old, bare_new


def _globs(pattern: str) -> set[tuple[str, bool]]:
    """The pattern, folded, and whether it begins at the top or matches a name at any depth."""
    whole = _folded(posixpath.normpath(pattern))
    glob = whole.lstrip("/")
    globs = {(glob, "/" in whole)}
    if glob.endswith("/*"):
        globs.add((glob.rstrip("/*"), True))  # the folder itself: a file of its name would replace it
    if glob.startswith("**/"):
        globs.add((glob[3:], True))  # also at the top
    return globs


def _is_printed(char: str) -> bool:
    return char >= " " and char != "\x7f" and not "\ud800" <= char <= "\udfff"


def _folded(path: str) -> str:
    composed = unicodedata.normalize("NFKC", path).casefold()
    visible = "".join(char for char in composed if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", visible)


def _is_git_folder(part: str) -> bool:
    # Some file systems ignore case, invisible characters, and dots, blanks or a ":stream" at the end.
    bare = _folded(part).split(":")[0].rstrip(". ")
    return bare in {".git", "git~1"}
