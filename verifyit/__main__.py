"""``python -m verifyit`` and the ``verifyit`` command."""

from __future__ import annotations

import sys

from verifyit.grade import main as grade_and_write

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """Grade as ``grade.main`` does; exit 1, with a line that says so, if the verdict cannot be written."""
    try:
        return grade_and_write(argv)
    except OSError as error:
        where = error.filename or "its folder"
        print(  # noqa: T201 - the command's own words
            f"verifyit: the verdict cannot be written: {where}: {error.strerror}: name a folder with --logs-dir",
            file=sys.stderr,
        )
        return 1


if __name__ == "__main__":
    sys.exit(main())
