"""What run_solution did not bring back from a box, so that read_output can say why instead of "missing"."""

from __future__ import annotations

# Path in the judge's folder -> what lay there in the box. Kept for one run: a judge judges one.
_refused: dict[str, str] = {}


def note(path: str, what: str) -> None:
    """Remember that the solution left something at this absolute path that must not cross."""
    _refused[path] = what


def forget(path: str) -> None:
    """The path has been written anew."""
    _refused.pop(path, None)


def reason(path: str) -> str | None:
    """What was left at this absolute path, such as "a fifo"; None when nothing was refused there."""
    return _refused.get(path)
