"""What comes out of a box, written into the verifier's folder, and nothing outside it."""

from __future__ import annotations

import os
import shutil
import stat

from deepgym_solution import _limits, _refused
from deepgym_solution._child import folder
from deepgym_solution.errors import SolutionError, SolutionProtocolError


class FolderWriter:
    """Takes the entries of one box."""

    def __init__(self, root: str | None) -> None:
        """Write below root, which is a real path; for None, count and throw away."""
        self._root = root
        self._files = 0
        self._bytes = 0

    def put(self, entry: folder.Entry) -> None:
        """Write one entry, or remember why it must not cross.

        Raises:
            SolutionError: There are more than can be brought back.
            SolutionProtocolError: It lies outside the folder.
        """
        self._files += entry.offset == 0
        self._bytes += len(entry.data)
        if self._files > _limits.MAX_FOLDER_FILES or self._bytes > _limits.MAX_FOLDER_BYTES:
            raise SolutionError("the solution wrote more files than can be brought back")
        if self._root is None:
            return
        path = os.path.normpath(os.path.join(self._root, entry.path))
        if not path.startswith(self._root + os.sep):
            raise SolutionProtocolError(
                f"the solution's box named a path outside its folder: {entry.path[:200]!r}"
            )
        _refused.forget(path)
        if entry.offset == 0 and entry.kind != "dir":
            _remove(path)
        if entry.kind in ("file", "dir"):
            if entry.kind == "dir" and (os.path.islink(path) or not os.path.isdir(path)):
                _remove(path)
            folder.put(self._root, entry)
        else:
            # Not even a link that stays inside: through other links its target can mean something else.
            _refused.note(path, "a symbolic link" if entry.kind == "link" else f"a {entry.kind}")

    def finish(self, gone: object) -> None:
        """Remove what the solution has removed."""
        if self._root is None or type(gone) is not list:
            return
        for name in gone:
            path = os.path.normpath(os.path.join(self._root, str(name)))
            parent = os.path.dirname(path)
            # Where a folder has become a link, what it held is gone already; behind the link lies something else.
            if path.startswith(self._root + os.sep) and os.path.realpath(parent) == parent:
                _remove(path)


def _remove(path: str) -> None:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)
