"""Runs on any `Backend`: the job goes into a box with the runner, and one authentic frame comes back.

The same code for every provider. No verdict depends on what a provider says about exit codes,
output or time: without the whole frame there is no outcome, and a run that may have begun is not
started again.
"""

import asyncio
import os
import re
import secrets
import socket
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from deepgym._judge.job import Job, Outcome, decode_report, encode_job
from deepgym.backends import _runner
from deepgym.backends._deadline import Deadline
from deepgym.backends._loop import LoopThread
from deepgym.backends._stock import RUNNER_ARGV, Prepared, Stock
from deepgym.backends.base import Backend, BoxSpec, ExecResult, File
from deepgym.errors import BackendUnavailableError, SandboxInfraError
from deepgym.jobs import MAX_PRINTED_BYTES, MAX_SHOWN_BYTES, RunContext
from deepgym_solution import _limits
from deepgym_solution._child import wire

T = TypeVar("T")

# What a judge and the runner need beside the solution.
JUDGE_MEMORY_MB = 768
JUDGE_PIDS = 512
JUDGE_DISK_MB = 64

# Both streams of a script at their limits, in base64, and the report.
MAX_FRAME_BYTES = 4 * MAX_PRINTED_BYTES

# The runner keeps the run's deadline; the client gives up on the box this much later.
GRACE_S = 30.0
# Elsewhere nobody else's work keeps the run from its cores for long.
REMOTE_CEILING_FACTOR = 3.0

CLOSE_S = 60.0
_MIB = 1024 * 1024


@dataclass(frozen=True)
class RemoteOptions:
    """How a client uses a backend.

    Attributes:
        max_parallel: Most runs under way at once.
        warm: How many boxes are kept ready beyond those in use.
        cpus: Processor cores of a box.
        reuse_box: Use a box for one run after another, as long as nothing is left of the earlier ones.
    """

    max_parallel: int = 32
    warm: int = 0
    cpus: float = 1.0
    reuse_box: bool = False


class RemoteBackend:
    """A `Backend` as clients use it: jobs in, outcomes out, from any thread or event loop."""

    def __init__(self, backend: Backend, options: RemoteOptions | None = None) -> None:
        self._backend = backend
        self._options = options or RemoteOptions()
        self._lock = threading.Lock()
        self._closed = False
        self._start_over()
        self.name = backend.name
        self.context = RunContext(backend.name, backend.grade, f"{backend.name}: {_WALL}")

    def _start_over(self) -> None:
        host = re.sub(r"[^a-z0-9]+", "-", socket.gethostname().lower())[:20]
        self._owner = f"{host}-{os.getpid()}-{secrets.token_hex(4)}"
        self._loop = LoopThread()
        self._stock: Stock | None = None
        self._slots: asyncio.Semaphore | None = None

    def execute(self, job: Job) -> tuple[Outcome, int]:
        """Run one job.

        Returns:
            How it ended, and how many attempts that took.
        """
        future = self._submit(self._execute(job))
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def execute_async(self, job: Job) -> tuple[Outcome, int]:
        """Run one job without blocking the event loop; cancelling ends it."""
        return await asyncio.wrap_future(self._submit(self._execute(job)))

    async def check(self, timeout_s: float = 30.0) -> str:
        """What the backend was reached as.

        Raises:
            BackendUnavailableError: It cannot be reached.
        """
        return await asyncio.wrap_future(self._submit(self._backend.check(Deadline.after(timeout_s))))

    def _submit(self, call: Coroutine[Any, Any, T]) -> "Future[T]":
        with self._lock:
            if self._closed:
                call.close()
                raise BackendUnavailableError("this client is closed: make a new DeepGym")
            if self._loop.is_inherited:
                # The boxes belong to the process that made them.
                self._start_over()
            return self._loop.submit(call)

    async def _execute(self, job: Job) -> tuple[Outcome, int]:
        if self._stock is None:
            self._stock = Stock(self._backend, self._owner, warm=self._options.warm)
            self._slots = asyncio.Semaphore(self._options.max_parallel)
        assert self._slots is not None
        async with self._slots:
            return await self._run(job, self._stock)

    async def _run(self, job: Job, stock: Stock) -> tuple[Outcome, int]:
        attempts = 1
        kind = self._kind(job)
        try:
            prepared, attempts = await stock.take(kind)
        except SandboxInfraError as error:
            return _lost(error, None), attempts
        except Exception as error:  # noqa: BLE001  # a backend's defect must not look like an ending of the run
            return _lost(_defect(error), None), attempts
        box_id = prepared.box.id
        is_whole = False
        try:
            outcome = await self._judge(prepared, job)
            is_whole = outcome.ending == "ended"
            return replace(outcome, sandbox_id=box_id), attempts
        except SandboxInfraError as error:
            return _lost(error, box_id), attempts
        except Exception as error:  # noqa: BLE001  # a backend's defect must not look like an ending of the run
            return _lost(_defect(error), box_id), attempts
        finally:
            if self._options.reuse_box and is_whole:
                stock.give_back(prepared, kind)
            else:
                stock.destroy(prepared.box)

    def _kind(self, job: Job) -> BoxSpec:
        """What the box of a job has to be; equal for equal needs."""
        policy = job.policy
        return BoxSpec(
            owner=self._owner,
            image=job.image,
            cpus=self._options.cpus,
            memory_mb=policy.memory_bytes // _MIB + JUDGE_MEMORY_MB,
            disk_mb=policy.tmp_bytes // _MIB + JUDGE_DISK_MB,
            pids=policy.processes + JUDGE_PIDS,
            ttl_s=round(self._patience_s(job)) + 600,
            name="",
            created_at=0.0,
        )

    def _patience_s(self, job: Job) -> float:
        ceiling = _limits.WALL_CEILING_FACTOR if self._backend.shares_machine else REMOTE_CEILING_FACTOR
        return job.timeout_s * ceiling + GRACE_S

    async def _judge(self, prepared: Prepared, job: Job) -> Outcome:
        """Send the job, and wait for its frame.

        Raises:
            SandboxInfraError: There is none: what became of the run is not known.
        """
        limit = MAX_PRINTED_BYTES if job.shape == "script" else MAX_SHOWN_BYTES
        nonce = secrets.token_bytes(32)
        envelope = _runner.encode_envelope(
            _runner.Envelope(nonce, secrets.token_bytes(16), limit, encode_job(job))
        )
        deadline = Deadline.after(self._patience_s(job))
        if prepared.program is not None:
            result = await prepared.program.finish(envelope, deadline, output_limit_bytes=MAX_FRAME_BYTES)
        else:
            path = f"{_runner.FOLDER}/job"
            await prepared.box.put([File(path, envelope)], deadline)
            argv = [*RUNNER_ARGV, path]
            result = await prepared.box.exec(argv, deadline, output_limit_bytes=MAX_FRAME_BYTES)
        payload = _runner.find_frame(nonce, result.stdout)
        if payload is None:
            raise _no_frame(result)
        return decode_outcome(payload)

    def close(self) -> None:
        """End every run and every box of this client, and the connections."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            loop, stock = self._loop, self._stock
        if loop.is_inherited:
            return
        if stock is not None:
            try:
                loop.submit(stock.close(CLOSE_S)).result(CLOSE_S + 5.0)
            except TimeoutError:
                pass  # labels and lifetimes see to what is left
        loop.stop()


_WALL = "one box for each run, no network, a user of its own for each solution, system-call filter"


def decode_outcome(payload: bytes) -> Outcome:
    """The outcome in an authentic frame.

    Raises:
        SandboxInfraError: It is none, so the runner is of another version.
    """
    try:
        values: Any = wire.decode_value(payload)
        report = values.pop("report")
        return Outcome(report=None if report is None else decode_report(report), **values)
    except (wire.WireError, AttributeError, TypeError, KeyError) as error:
        raise SandboxInfraError(
            "protocol", f"the outcome cannot be read: {error}", retryable=False
        ) from error


def _no_frame(result: ExecResult) -> SandboxInfraError:
    text = (result.stderr or result.stdout.replace(_runner.READY, b"")).decode("utf-8", "replace")
    words = " ".join(text.split())[-400:] or "it said nothing"
    code = "an unknown exit status" if result.exit_code is None else f"exit status {result.exit_code}"
    if result.exit_code in {126, 127}:
        detail = f"there is no python3 in the box ({code}: {words})"
        return SandboxInfraError("create_failed", detail, retryable=False)
    return SandboxInfraError("lost", f"the runner left no outcome ({code}: {words})", retryable=False)


def _defect(error: Exception) -> SandboxInfraError:
    return SandboxInfraError("protocol", f"the backend failed: {error!r}", retryable=False)


def _lost(error: SandboxInfraError, box_id: str | None) -> Outcome:
    # Never "begun": nothing that a solution can do here takes its box away, so losing it is nobody's answer.
    return Outcome("lost", begun=False, detail=str(error), sandbox_id=box_id)
