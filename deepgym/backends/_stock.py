"""Prepared boxes: created, with the runner uploaded and, where the provider can, waiting for its job.

A box is used for one run and then destroyed. For what has been asked for once, a few more are kept ready,
so that the next run does not wait for a box to start.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass, replace

from deepgym.backends import _runner
from deepgym.backends._bundle import runner_bundle
from deepgym.backends._deadline import Deadline, retrying, settle_abandoned
from deepgym.backends.base import LABEL_NAME, LABEL_OWNER, Backend, Box, BoxSpec, File, Program
from deepgym.errors import SandboxInfraError

# A box has to be there within this time; pulling an image is not part of it.
CREATE_S = 120.0
PUT_S = 60.0
DESTROY_S = 30.0

# A provider that says "later" is asked again this often.
CREATE_ATTEMPTS = 3

RUNNER_ARGV = ("python3", "-I", "-S", "-B", _runner.PROGRAM)


@dataclass
class Prepared:
    """A box that is ready for one job, and the runner in it, if it waits there already."""

    box: Box
    program: Program | None
    made_at: float


class Stock:
    """The boxes of one client. All of it happens on one event loop."""

    def __init__(self, backend: Backend, owner: str, *, warm: int) -> None:
        """Keep so many boxes ready of what was asked for last."""
        self._backend = backend
        self._owner = owner
        self._warm = warm
        self._ready: dict[BoxSpec, deque[Prepared]] = {}
        self._refilling: dict[BoxSpec, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._swept = False
        self._closed = False

    async def take(self, kind: BoxSpec) -> tuple[Prepared, int]:
        """A prepared box, from the stock or made now, and how many attempts that took.

        Args:
            kind: What it has to be; its name, owner and time are not looked at.

        Raises:
            SandboxInfraError: None could be made.
        """
        if not self._swept:
            self._swept = True
            self._in_background(self._sweep_orphans())
        ready = self._ready.setdefault(kind, deque())
        taken = None
        while ready and taken is None:
            candidate = ready.popleft()
            fresh = time.monotonic() - candidate.made_at < kind.ttl_s / 3
            if fresh and await candidate.box.alive(Deadline.after(DESTROY_S)):
                taken = candidate
            else:
                self.destroy(candidate.box)
        self._refill(kind)
        if taken is not None:
            return taken, 1
        return await self._make(kind)

    def destroy(self, box: Box) -> None:
        """End a box, without anybody waiting for it."""
        self._in_background(self._destroy(box))

    def give_back(self, prepared: Prepared, kind: BoxSpec) -> None:
        """Keep a used box for the next run of its kind, if nothing is left in it; else end it."""
        self._in_background(self._give_back(prepared, kind))

    async def _give_back(self, prepared: Prepared, kind: BoxSpec) -> None:
        deadline = Deadline.after(PUT_S)
        argv = [*RUNNER_ARGV, _runner.ASK_CLEAN]
        try:
            result = await prepared.box.exec(argv, deadline, output_limit_bytes=4096)
            is_clean = result.exit_code == 0 and result.stdout.strip() == _runner.CLEAN
            if is_clean and not self._closed:
                program = await prepared.box.start(RUNNER_ARGV, deadline)
                self._ready[kind].append(replace(prepared, program=program))
                return
        except SandboxInfraError:
            pass  # whatever is wrong with it, it is not used again
        await self._destroy(prepared.box)

    async def _make(self, kind: BoxSpec) -> tuple[Prepared, int]:
        attempts = 0

        async def attempt() -> Prepared:
            nonlocal attempts
            attempts += 1
            return await self._prepare(kind)

        deadline = Deadline.after(2 * CREATE_S)
        return await retrying(attempt, deadline, attempts=CREATE_ATTEMPTS), attempts

    async def _prepare(self, kind: BoxSpec) -> Prepared:
        fresh = BoxSpec(owner=self._owner)
        spec = replace(kind, owner=self._owner, name=fresh.name, created_at=fresh.created_at)
        try:
            box = await self._backend.create(spec, Deadline.after(CREATE_S))
        except BaseException:
            # It may exist all the same: nobody saw it, but it carries its name.
            self._in_background(self._sweep_name(spec.name))
            raise
        try:
            await box.put([File(_runner.PROGRAM, runner_bundle(), 0o600)], Deadline.after(PUT_S))
            program = await box.start(RUNNER_ARGV, Deadline.after(PUT_S))
        except BaseException:
            self.destroy(box)
            raise
        return Prepared(box, program, time.monotonic())

    def _refill(self, kind: BoxSpec) -> None:
        missing = self._warm - len(self._ready[kind]) - self._refilling.get(kind, 0)
        for _ in range(missing):
            self._refilling[kind] = self._refilling.get(kind, 0) + 1
            self._in_background(self._add_one(kind))

    async def _add_one(self, kind: BoxSpec) -> None:
        try:
            # Only a supply: whoever needs a box and finds none makes one, and hears what is wrong.
            with contextlib.suppress(SandboxInfraError):
                prepared = await self._prepare(kind)
                if self._closed:
                    await self._destroy(prepared.box)
                else:
                    self._ready[kind].append(prepared)
        finally:
            self._refilling[kind] -= 1

    async def _destroy(self, box: Box) -> None:
        async def attempt() -> None:
            await box.destroy(Deadline.after(DESTROY_S))

        # What cannot be destroyed now is swept at the end of this client, or of its own life.
        with contextlib.suppress(SandboxInfraError):
            await retrying(attempt, Deadline.after(DESTROY_S), attempts=3)

    async def _sweep_name(self, name: str) -> None:
        with contextlib.suppress(SandboxInfraError):
            await self._backend.sweep(Deadline.after(DESTROY_S), where={LABEL_NAME: name})

    async def _sweep_orphans(self) -> None:
        with contextlib.suppress(SandboxInfraError):
            await self._backend.sweep(Deadline.after(DESTROY_S))

    def _in_background(self, call: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(call)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self, timeout_s: float) -> None:
        """Destroy every box of this client, those that nobody remembers too."""
        self._closed = True
        deadline = Deadline.after(timeout_s)
        for ready in self._ready.values():
            while ready:
                self.destroy(ready.popleft().box)
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=deadline.remaining_s() / 2)
        await settle_abandoned(deadline.remaining_s() / 4)
        with contextlib.suppress(SandboxInfraError):
            await self._backend.sweep(deadline.within(DESTROY_S), where={LABEL_OWNER: self._owner})
        await self._backend.close()
