"""What has to happen in a process that was just forked from this one.

A lock may have been held by a thread that the new process does not have, and a socket's other end belongs to the old
one. Objects that hold such things register here; the new process lets go of them before any of its own code runs.
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol

__all__ = ["Forkable", "forget_after_fork"]


class Forkable(Protocol):
    """Something that a forked process inherits and cannot use as it is."""

    def after_fork(self) -> None:
        """Become fresh, without touching what belongs to the process that this one was forked from."""


_registered: weakref.WeakSet[Forkable] = weakref.WeakSet()


def forget_after_fork(thing: Forkable) -> None:
    """Have `thing.after_fork()` called in every process that is forked from this one, for as long as it lives."""
    _registered.add(thing)


def _in_the_child() -> None:
    for thing in list(_registered):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_the_child)
