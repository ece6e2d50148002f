"""``python -m verifyit`` and the ``verifyit`` command."""

from __future__ import annotations

import sys

from verifyit.grade import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
