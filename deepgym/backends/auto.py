"""`mode="auto"`: what the environment asks for, else the strongest that is configured, else this machine.

What is configured is found out once, when the first run needs it: a provider whose package and
credentials are there, Apple's command, a docker engine that answers. This machine always is.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from deepgym._judge.job import Job, Outcome
from deepgym.backends.base import Deadline
from deepgym.backends.registry import load_backend_class
from deepgym.backends.running import RunningBackend
from deepgym.errors import DeepGymError
from deepgym.jobs import RunContext
from deepgym.ladder import GRADES, weaker_than

__all__ = ["AutoBackend"]

# In the order in which they are tried; those that rent machines come first, as theirs is the stronger wall.
_REMOTE_MODES = ("modal", "e2b", "daytona", "apple", "docker")

# A docker engine that does not answer by then is taken for absent.
_ENGINE_S = 5.0


@dataclass(frozen=True)
class _Candidate:
    mode: str
    grade: str


class AutoBackend:
    """Opens the backends that it chooses, once each."""

    def __init__(self, open_mode: Callable[[str], RunningBackend]) -> None:
        """Choose among what `open_mode` can open."""
        self._open_mode = open_mode
        self._lock = threading.Lock()
        self._candidates: list[_Candidate] | None = None
        self._opened: dict[str, RunningBackend] = {}

    @property
    def context(self) -> RunContext:
        """Where a run happens whose environment asks for nothing."""
        return self._context(*self._choose(None, None))

    def context_for(self, job: Job) -> RunContext:
        """Where this job's run happens, and why there."""
        return self._context(*self._choose(job.image, job.min_isolation))

    def execute(self, job: Job) -> tuple[Outcome, int]:
        """Run one job where it belongs."""
        mode, _ = self._choose(job.image, job.min_isolation)
        return self._backend(mode).execute(job)

    async def execute_async(self, job: Job) -> tuple[Outcome, int]:
        """The same on the running event loop; cancelling ends the run."""
        mode, _ = await asyncio.to_thread(self._choose, job.image, job.min_isolation)
        return await self._backend(mode).execute_async(job)

    def close(self) -> None:
        """End everything."""
        with self._lock:
            opened, self._opened = list(self._opened.values()), {}
        for backend in opened:
            backend.close()

    def _context(self, mode: str, why: str) -> RunContext:
        context = self._backend(mode).context
        return replace(context, isolation_detail=f"auto chose {mode}, {why}; {context.isolation_detail}")

    def _backend(self, mode: str) -> RunningBackend:
        with self._lock:
            if mode not in self._opened:
                self._opened[mode] = self._open_mode(mode)
            return self._opened[mode]

    def _choose(self, image: str | None, demanded: str | None) -> tuple[str, str]:
        """The mode for an environment with these wishes, and the reason."""
        candidates = self._configured()
        if image is not None:
            with_images = [each for each in candidates if each.mode not in {"local", "e2b"}]
            candidates = with_images or candidates
        if demanded is not None:
            strong = [each for each in candidates if not weaker_than(each.grade, demanded)]  # type: ignore[arg-type]
            if strong:
                # The nearest to what was asked for, and so the cheapest.
                return strong[
                    -1
                ].mode, f"which gives the isolation {demanded!r} that the environment asks for"
        chosen = candidates[0]
        if image is not None and chosen.mode != "local":
            return chosen.mode, f"which can run the environment's image {image}"
        if chosen.mode == "local":
            return "local", "for nothing else is configured"
        return chosen.mode, "the strongest that is configured"

    def _configured(self) -> list[_Candidate]:
        """What can be used here, strongest first."""
        with self._lock:
            if self._candidates is not None:
                return self._candidates
        found = [each for mode in _REMOTE_MODES if (each := _candidate(mode)) is not None]
        local = self._backend("local").context.isolation or "process"
        found.append(_Candidate("local", local))
        found.sort(key=lambda each: GRADES.index(each.grade))
        with self._lock:
            self._candidates = found
        return found


def _candidate(mode: str) -> _Candidate | None:
    """A mode that is configured; None for one that is not."""
    try:
        backend_class = load_backend_class(mode)
        backend = backend_class()
        if mode == "docker":
            asyncio.run(backend.check(Deadline.after(_ENGINE_S)))
    except (DeepGymError, ImportError):
        return None
    return _Candidate(mode, backend_class.grade)
