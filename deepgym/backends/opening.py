"""From a mode's name to a running backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from deepgym._cores import usable_cores
from deepgym._judge.job import Job, Outcome
from deepgym.backends.local.backend import LocalBackend
from deepgym.backends.registry import backend_names, load_backend_class
from deepgym.backends.remote import RemoteBackend, RemoteOptions
from deepgym.errors import UsageError, one_of
from deepgym.jobs import RunContext

__all__ = ["RunningBackend", "open_backend", "usual_parallel"]

_JUDGES = ("sealed", "host")

# Runs under way at once, unless the caller says otherwise: what the smallest accounts of the providers allow.
_RENTED_PARALLEL = 20


class RunningBackend(Protocol):
    """What a client needs of a backend."""

    @property
    def context(self) -> RunContext:
        """Where runs happen, for their results."""

    def execute(self, job: Job) -> tuple[Outcome, int]:
        """Run one job: how it ended, and how many attempts that took."""

    async def execute_async(self, job: Job) -> tuple[Outcome, int]:
        """The same on the running event loop; cancelling ends the run."""

    def close(self) -> None:
        """End everything."""


def open_backend(
    mode: str,
    *,
    max_parallel: int | None = None,
    options: Mapping[str, object] | None = None,
    judge: str = "sealed",
) -> RunningBackend:
    """The backend of a mode.

    Args:
        mode: "local", or the name of another backend.
        max_parallel: Most runs under way at once.
        options: What the backend's class takes (image, template, api_key ...).
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
    names = ("local", *backend_names())
    if mode not in names:
        raise UsageError(f"unknown mode {mode!r}: use {one_of(names)}")
    if judge != "sealed":
        raise UsageError(
            f"judge={judge!r} needs mode='local': with mode={mode!r} verifiers run in the box too"
        )
    backend_class = load_backend_class(mode)
    try:
        backend = backend_class(**(options or {}))
    except TypeError as error:
        raise UsageError(f"mode={mode!r}: {error}") from error
    return RemoteBackend(backend, _options(backend.shares_machine, max_parallel))


def usual_parallel(mode: str) -> int:
    """How many runs of a batch are under way at once in a mode, unless the caller says."""
    if mode == "local" or load_backend_class(mode).shares_machine:
        return usable_cores()
    return _RENTED_PARALLEL


def _options(shares_machine: bool, max_parallel: int | None) -> RemoteOptions:
    cores = usable_cores()
    if not shares_machine:
        return RemoteOptions(max_parallel=max_parallel or _RENTED_PARALLEL)
    # A box on this machine costs nothing while it waits: as many as cores are kept ready.
    return RemoteOptions(max_parallel=max_parallel or 2 * cores, warm=min(cores, max_parallel or cores, 8))
