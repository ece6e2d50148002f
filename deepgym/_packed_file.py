"""Paths of files that are in no folder: members of a packed set, or what a script would write."""

from __future__ import annotations

import io
from pathlib import Path, PosixPath
from typing import IO, Any

__all__ = ["PackedFile"]


class PackedFile(PosixPath):
    """The path of such a file. It has a name and can be read; no other program finds it."""

    __slots__ = ("_content",)

    @classmethod
    def of(cls, path: Path, content: bytes) -> PackedFile:
        """The path of a file with this content."""
        made = cls(path)
        made._content = content  # type: ignore[attr-defined]
        return made

    def read_bytes(self) -> bytes:
        """The content."""
        content: bytes = self._content  # type: ignore[attr-defined]
        return content

    def read_text(
        self, encoding: str | None = None, errors: str | None = None, newline: str | None = None
    ) -> str:
        """The content as text."""
        del newline
        return self.read_bytes().decode(encoding or "utf-8", errors or "strict")

    def open(self, mode: str = "r", *args: Any, **options: Any) -> IO[Any]:  # type: ignore[override]
        """The content as a file that can be read."""
        if "b" in mode:
            return io.BytesIO(self.read_bytes())
        del args
        return io.StringIO(self.read_text(options.get("encoding")))

    def is_file(self, **_: Any) -> bool:
        """True: it is one."""
        return True

    def exists(self, **_: Any) -> bool:
        """True: it was read from the set."""
        return True
