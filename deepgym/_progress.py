"""How far a batch has come: a bar on a terminal, the caller's own function, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from deepgym.models import RunResult

__all__ = ["Progress", "ProgressOption"]

# A function gets the number of answers that are done and the number of all, or None when that is not known.
ProgressOption = bool | Callable[[int, int | None], object] | None

# A batch that is over sooner shows no bar, unless one was asked for.
_SHOW_AFTER_S = 0.5


class Progress:
    """Counts results as they come."""

    def __init__(self, option: ProgressOption, total: int | None) -> None:
        self._total = total
        self._done = self._passed = self._unjudged = 0
        self._tell = option if callable(option) else None
        on_terminal = option is not False and self._tell is None and sys.stderr.isatty()
        self._show_at = (time.monotonic() + (0 if option is True else _SHOW_AFTER_S)) if on_terminal else None
        self._bar: Any = None
        self._task: Any = None

    def advance(self, result: RunResult) -> None:
        """One more is done."""
        self._done += 1
        self._passed += result.passed
        self._unjudged += not result.has_verdict
        if self._tell is not None:
            self._tell(self._done, self._total)
        if self._show_at is not None and time.monotonic() >= self._show_at:
            self._show()

    def _show(self) -> None:
        if self._bar is None:
            self._bar, self._task = _open_bar(self._total)
        text = f"{self._passed} passed"
        if self._unjudged:
            text += f", {self._unjudged} without verdict"
        self._bar.update(self._task, completed=self._done, said=text)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _open_bar(total: int | None) -> tuple[Any, Any]:
    from rich.console import Console  # noqa: PLC0415 - only terminals pay for rich
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (
        MofNCompleteColumn(),
        BarColumn(),
        TextColumn("{task.fields[said]}", markup=False),
        TimeRemainingColumn(),
    )
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar, bar.add_task("runs", total=total, said="")
