"""Boxes at E2B: one micro virtual machine each, through the `e2b` package.

The box's own accounts are no wall (its user may become root), so the runner does without
them: it runs as root and gives the solution an account of its own that can gain nothing.
Processor and memory belong to the template's build; they cannot be asked for here.
"""

import math
import os
import shlex
import time
from collections.abc import Mapping, Sequence
from typing import Any

from deepgym.backends._deadline import Deadline
from deepgym.backends._vendor import (
    LATE_CREATE_S,
    Capture,
    ask,
    mode_script,
    of_status,
    over_limit,
    require_package,
    require_settings,
    words_of,
)
from deepgym.backends.base import LABEL_BOX, Backend, Box, BoxSpec, ExecResult, File, is_swept
from deepgym.errors import BackendUnavailableError, SandboxInfraError

DEFAULT_TEMPLATE = "base"

# The SDK's own limit on a command is a second line of defence: ours ends first.
SDK_GRACE_S = 5


def classify(error: Exception, what: str) -> SandboxInfraError:
    """What an exception that came out of the SDK says about the box."""
    import e2b  # noqa: PLC0415  # loads for over a second: only those who use it wait
    import httpx  # noqa: PLC0415

    detail = f"{what}: {words_of(error)}"
    if isinstance(error, e2b.AuthenticationException):
        return SandboxInfraError("auth", detail, retryable=False)
    if isinstance(error, e2b.RateLimitException):
        return SandboxInfraError("quota", detail, retryable=True)
    if type(error) is e2b.TimeoutException:
        return SandboxInfraError("timeout", detail, retryable=True)
    # Its subclasses are about boxes that are gone, not about time.
    if isinstance(error, e2b.TimeoutException | e2b.SandboxNotFoundException):
        return SandboxInfraError("lost", detail, retryable=True)
    if isinstance(error, httpx.TimeoutException):
        return SandboxInfraError("timeout", detail, retryable=True)
    if isinstance(error, httpx.ConnectError):
        return SandboxInfraError("unavailable", detail, retryable=True)
    if isinstance(error, httpx.TransportError):
        return SandboxInfraError("lost", detail, retryable=True)
    if type(error).__name__ == "ServiceBusyException":
        return SandboxInfraError("unavailable", detail, retryable=True)
    if isinstance(error, e2b.SandboxException) and error.status_code is not None:
        return of_status(error.status_code, detail)
    # A proxy's page where JSON was due, a stream without an end: the SDK lets bare exceptions out.
    return SandboxInfraError("protocol", detail, retryable=True)


class E2BBox(Box):
    """One sandbox at E2B."""

    def __init__(self, sandbox: Any) -> None:
        self._sandbox = sandbox
        self.id: str = sandbox.sandbox_id

    async def put(self, files: Sequence[File], deadline: Deadline) -> None:
        """Write the files with one request, and set their modes with another."""
        entries = [{"path": file.path, "data": file.content} for file in files]
        write = self._sandbox.files.write_files(
            entries, user="root", request_timeout=deadline.remaining_s() + SDK_GRACE_S
        )
        await ask(write, deadline, "writing files", classify)
        result = await self.exec(["/bin/sh", "-c", mode_script(files)], deadline, output_limit_bytes=4096)
        if result.exit_code != 0:
            raise SandboxInfraError(
                "create_failed", f"setting modes of files failed: {result.stderr!r}", retryable=False
            )

    async def exec(self, argv: Sequence[str], deadline: Deadline, *, output_limit_bytes: int) -> ExecResult:
        """Run a program through the box's login shell, which it replaces."""
        import e2b  # noqa: PLC0415

        stdout, stderr = Capture(output_limit_bytes), Capture(output_limit_bytes)
        limit_s = math.ceil(deadline.remaining_s()) + SDK_GRACE_S

        async def run() -> int:
            try:
                result = await self._sandbox.commands.run(
                    f"exec {shlex.join(argv)}",
                    user="root",
                    cwd="/",
                    timeout=limit_s,
                    request_timeout=limit_s,
                    on_stdout=lambda text: stdout.add(text.encode(errors="surrogateescape")),
                    on_stderr=lambda text: stderr.add(text.encode(errors="surrogateescape")),
                    retain_output=False,
                )
            except e2b.CommandExitException as error:
                return int(error.exit_code)
            return int(result.exit_code)

        exit_code = await ask(run(), deadline, "running a command", classify)
        truncated = stdout.truncated or stderr.truncated
        # -1 stands for any signal.
        return ExecResult(exit_code if exit_code >= 0 else None, stdout.value(), stderr.value(), truncated)

    async def get(self, path: str, deadline: Deadline, *, limit_bytes: int) -> bytes:
        """Read a file as a stream, and stop at the limit."""
        import e2b  # noqa: PLC0415

        async def read() -> bytes:
            kept = Capture(limit_bytes)
            pieces = await self._sandbox.files.read(path, format="stream", user="root")
            async for piece in pieces:
                kept.add(piece)
                if kept.truncated:
                    raise over_limit(path, limit_bytes)
            return kept.value()

        try:
            return await ask(read(), deadline, f"reading {path}", classify)
        except SandboxInfraError as error:
            if isinstance(error.__cause__, e2b.FileNotFoundException):
                raise FileNotFoundError(path) from error
            raise

    async def alive(self, deadline: Deadline) -> bool:
        """Ask the box's own agent."""
        try:
            return bool(await ask(self._sandbox.is_running(), deadline, "asking for a sandbox", classify))
        except SandboxInfraError:
            return False

    async def destroy(self, deadline: Deadline) -> None:
        """Kill the sandbox; one that is gone already is no error."""
        kill = self._sandbox.kill(request_timeout=deadline.remaining_s() + SDK_GRACE_S)
        await ask(kill, deadline, "killing a sandbox", classify)


class E2BBackend(Backend):
    """Micro virtual machines at E2B."""

    name = "e2b"
    grade = "vm"

    def __init__(self, *, template: str | None = None, api_key: str | None = None) -> None:
        require_package("e2b", "e2b")
        self._key = api_key or os.environ.get("E2B_API_KEY")
        require_settings("e2b", {"E2B_API_KEY": self._key})
        self._template = template or DEFAULT_TEMPLATE

    async def check(self, deadline: Deadline) -> str:
        """List one sandbox, which needs the service and the key."""
        try:
            await self._page(self._paginator({LABEL_BOX: "1"}, limit=1), deadline)
        except SandboxInfraError as error:
            raise BackendUnavailableError(f"E2B cannot be used: {error}") from error
        return f"E2B, template {self._template}"

    async def create(self, spec: BoxSpec, deadline: Deadline) -> Box:
        """Create a sandbox without internet access, labelled, that E2B ends by itself."""
        import e2b  # noqa: PLC0415

        create = e2b.AsyncSandbox.create(
            spec.image or self._template,
            timeout=spec.ttl_s,
            metadata=spec.labels,
            allow_internet_access=False,
            lifecycle={"on_timeout": "kill"},
            idempotency_key=spec.name,
            api_key=self._key,
            retries=0,
            request_timeout=deadline.remaining_s() + LATE_CREATE_S,
        )
        sandbox = await ask(create, deadline, "creating a sandbox", classify, late=lambda late: late.kill())
        return E2BBox(sandbox)

    async def sweep(self, deadline: Deadline, *, where: Mapping[str, str] | None = None) -> int:
        """Kill the sandboxes that our labels point to."""
        import e2b  # noqa: PLC0415

        paginator = self._paginator({LABEL_BOX: "1", **(where or {})})
        swept = 0
        while paginator.has_next:
            for found in await self._page(paginator, deadline):
                if is_swept(found.metadata or {}, where, now=time.time()):
                    kill = e2b.AsyncSandbox.kill(found.sandbox_id, api_key=self._key)
                    swept += bool(await ask(kill, deadline, "killing a sandbox", classify))
        return swept

    def _paginator(self, metadata: Mapping[str, str], limit: int | None = None) -> Any:
        import e2b  # noqa: PLC0415

        query = e2b.SandboxQuery(metadata=dict(metadata))
        return e2b.AsyncSandbox.list(query=query, limit=limit, api_key=self._key)

    async def _page(self, paginator: Any, deadline: Deadline) -> list[Any]:
        found: list[Any] = await ask(paginator.next_items(), deadline, "listing sandboxes", classify)
        return found
