"""From a mode's name to a running backend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from deepgym._cores import usable_cores
from deepgym.backends.auto import AutoBackend
from deepgym.backends.local.backend import LocalBackend
from deepgym.backends.registry import backend_names, load_backend_class
from deepgym.backends.remote import RemoteBackend, RemoteOptions
from deepgym.backends.running import RunningBackend
from deepgym.errors import UsageError, one_of

__all__ = ["open_backend", "usual_parallel"]

_JUDGES = ("sealed", "host")

# Runs under way at once, unless the caller says otherwise: what the smallest accounts of the providers allow.
_RENTED_PARALLEL = 20


def open_backend(
    mode: str,
    *,
    max_parallel: int | None = None,
    options: Mapping[str, object] | None = None,
    judge: str = "sealed",
) -> RunningBackend:
    """The backend of a mode.

    Args:
        mode: "local", "auto", or the name of another backend.
        max_parallel: Most runs under way at once.
        options: What the backend's class takes (image, template, api_key ...), and `reuse_box`: whether runs may
            share a box one after another, as long as nothing is left of the earlier ones.
        judge: "sealed", or "host" to run verifiers as the caller.

    Raises:
        UsageError: There is no such mode or judge, or the mode has no such option.
        BackendUnavailableError: What the backend needs is missing; the message names it.
    """
    if judge not in _JUDGES:
        raise UsageError(f"unknown judge {judge!r}: use {one_of(_JUDGES)}")
    if mode == "local":
        if options:
            raise UsageError(f"mode='local' takes no options, and got {', '.join(options)}")
        return LocalBackend(judge_on_host=judge == "host")
    names = ("auto", "local", *backend_names())
    if mode not in names:
        raise UsageError(f"unknown mode {mode!r}: use {one_of(names)}")
    if judge != "sealed":
        raise UsageError(
            f"judge={judge!r} needs mode='local': with mode={mode!r} verifiers run in the box too"
        )
    if mode == "auto":
        if options:
            raise UsageError(f"mode='auto' takes no options, and got {', '.join(options)}: name the mode")
        return AutoBackend(lambda chosen: open_backend(chosen, max_parallel=max_parallel))
    backend_class = load_backend_class(mode)
    own = dict(options or {})
    reuse_box = own.pop("reuse_box", False) is True
    try:
        backend = backend_class(**own)
    except TypeError as error:
        raise UsageError(f"mode={mode!r}: {error}") from error
    return RemoteBackend(
        backend, replace(_options(backend.shares_machine, max_parallel), reuse_box=reuse_box)
    )


def usual_parallel(mode: str) -> int:
    """How many runs of a batch are under way at once in a mode, unless the caller says."""
    if mode in {"auto", "local"} or load_backend_class(mode).shares_machine:
        return usable_cores()
    return _RENTED_PARALLEL


def _options(shares_machine: bool, max_parallel: int | None) -> RemoteOptions:
    cores = usable_cores()
    if not shares_machine:
        return RemoteOptions(max_parallel=max_parallel or _RENTED_PARALLEL)
    # A box on this machine costs nothing while it waits: as many as cores are kept ready.
    return RemoteOptions(max_parallel=max_parallel or 2 * cores, warm=min(cores, max_parallel or cores, 8))
