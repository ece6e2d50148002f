"""Which reported test a required test id means."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from verifyit.spec import TestIdMatching

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def match_outcomes(
    required: Sequence[str], outcomes: Mapping[str, bool], skipped: Iterable[str], matching: TestIdMatching
) -> dict[str, bool]:
    """The outcomes by required id, for matching by unique prefix; the outcomes themselves for exact matching.

    A required id that means no reported test, or more than one, is absent; two required ids that mean
    the same test are both absent.
    """
    if matching is TestIdMatching.EXACT:
        return dict(outcomes)
    reported = frozenset(outcomes) | frozenset(skipped)
    meant = {test: _meaning(test, reported) for test in dict.fromkeys(required)}
    uses = Counter(meant.values())
    matched = dict(outcomes)
    for test, found in meant.items():
        if found is None or uses[found] > 1:
            matched.pop(test, None)
        elif found in outcomes:
            matched[test] = outcomes[found]
    return matched


def _meaning(test: str, reported: frozenset[str]) -> str | None:
    escaped = "".join(mark if mark.isascii() else mark.encode("unicode_escape").decode() for mark in test)
    spellings = {test, escaped} & reported
    if spellings:
        return spellings.pop() if len(spellings) == 1 else None
    if "[" not in test or test.endswith("]"):
        return None
    starting = [name for name in reported if name.startswith((test, escaped))]
    return starting[0] if len(starting) == 1 else None
