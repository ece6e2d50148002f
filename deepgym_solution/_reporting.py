"""report: a script's verdict over the private descriptor, where nothing that it prints can touch it."""

from __future__ import annotations

from collections.abc import Mapping

from deepgym_solution import _runtime


def report(verdict: float | bool | Mapping[str, object] | None = None, /, **fields: object) -> None:
    """Send the verdict of a verifier in script shape.

    It goes to the judge over a descriptor of its own, so what the script prints (the solution's text, say) cannot
    overrule it. Of several reports the lowest score counts, and `passed` needs all of them.

    Args:
        verdict: A score in [0, 1], a bool, or a dict such as {"score": 0.5, "passed": False, "details": "..."}.
        **fields: The dict's items as keywords instead: report(score=0.5, passed=False).

    Raises:
        TypeError: Both forms, or neither, were given.
    """
    if (verdict is None) == (not fields):
        raise TypeError('report takes one verdict, such as report(0.5) or report(score=0.5, details="...")')
    send = _runtime.current().report
    if send is not None:
        send(dict(fields) if verdict is None else verdict)
