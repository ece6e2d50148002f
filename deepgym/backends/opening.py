"""From a mode's name to a running backend."""

from __future__ import annotations

from deepgym.backends.local.backend import LocalBackend
from deepgym.errors import UsageError, one_of

__all__ = ["open_backend"]

_MODES = ("local",)


def open_backend(mode: str) -> LocalBackend:
    """The backend of a mode.

    Raises:
        UsageError: There is no such mode.
    """
    if mode not in _MODES:
        raise UsageError(f"unknown mode {mode!r}: use {one_of(_MODES)}")
    return LocalBackend()
