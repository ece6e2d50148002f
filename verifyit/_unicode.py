"""Unicode normalization that no text can make slow."""

from __future__ import annotations

import unicodedata
from typing import Final, Literal

# Unicode's stream-safe bound; reordering longer runs of combining marks takes quadratic time.
MAX_COMBINING_RUN: Final = 30


def normalize_unicode(form: Literal["NFC", "NFKC"], text: str) -> str:
    """The text in a normal form, or as it is if it holds a run of combining marks that no writing has."""
    if text.isascii():
        return text
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > MAX_COMBINING_RUN:
            return text
    return unicodedata.normalize(form, text)
