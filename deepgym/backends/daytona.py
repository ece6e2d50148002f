"""Boxes at Daytona, through the `daytona` package.

A command's two output streams come back as one, and the client sends a command again by
itself when the connection drops: the runner's one frame and its claim on the job are made
for that.
"""

import asyncio
import base64
import math
import os
import shlex
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from deepgym.backends import _streams
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

# The SDK's own limit on a command is a second line of defence: ours ends first.
SDK_GRACE_S = 5

DEFAULT_API_URL = "https://app.daytona.io/api"


def classify(error: Exception, what: str) -> SandboxInfraError:
    """What an exception that came out of the SDK says about the box."""
    import daytona  # noqa: PLC0415  # loads for seconds: only those who use it wait

    detail = f"{what}: {words_of(error)}"
    if isinstance(error, daytona.DaytonaTimeoutError):
        return SandboxInfraError("timeout", detail, retryable=True)
    if isinstance(error, daytona.DaytonaConnectionError):
        return SandboxInfraError("unavailable", detail, retryable=True)
    if not isinstance(error, daytona.DaytonaError):
        return SandboxInfraError("protocol", detail, retryable=True)
    status = error.status_code
    if status == 502:
        return SandboxInfraError("lost", detail, retryable=True)
    if status is None:
        # Without a status: refused, cut, or a sandbox that ended in its error state.
        failed = "error state" in str(error)
        return SandboxInfraError("create_failed" if failed else "unavailable", detail, retryable=True)
    if status == 404 and what != "creating a sandbox":
        return SandboxInfraError("lost", detail, retryable=True)
    return of_status(status, detail)


class DaytonaBox(Box):
    """One sandbox at Daytona."""

    def __init__(self, sandbox: Any) -> None:
        self._sandbox = sandbox
        self.id: str = sandbox.id

    async def put(self, files: Sequence[File], deadline: Deadline) -> None:
        """Write the files with one request, and set their modes with another."""
        import daytona  # noqa: PLC0415

        uploads = [daytona.FileUpload(source=file.content, destination=file.path) for file in files]
        upload = self._sandbox.fs.upload_files(uploads, timeout=_seconds(deadline))
        await ask(upload, deadline, "writing files", classify)
        result = await self.exec(["/bin/sh", "-c", mode_script(files)], deadline, output_limit_bytes=4096)
        if result.exit_code != 0:
            raise SandboxInfraError(
                "create_failed", f"setting modes of files failed: {result.stdout!r}", retryable=False
            )

    async def exec(self, argv: Sequence[str], deadline: Deadline, *, output_limit_bytes: int) -> ExecResult:
        """Run a program in place of the shell that reads the command; both streams come back as stdout."""
        # The shell reads the command from its standard input, which the program must not go on reading.
        command = f"exec {shlex.join(argv)} </dev/null"
        run = self._sandbox.process.exec(command, cwd="/", timeout=_seconds(deadline))
        result = await ask(run, deadline, "running a command", classify)
        output = Capture(output_limit_bytes)
        output.add(str(result.result or "").encode(errors="surrogateescape"))
        exit_code = result.exit_code
        if not isinstance(exit_code, int) or exit_code < 0:
            exit_code = None
        return ExecResult(exit_code, output.value(), truncated=output.truncated)

    async def get(self, path: str, deadline: Deadline, *, limit_bytes: int) -> bytes:
        """Have a program write the file to its standard output; the SDK cannot download an empty file."""
        argv = _streams.read_argv(path, limit_bytes, as_text=True)
        result = await self.exec(argv, deadline, output_limit_bytes=2 * limit_bytes + 1024)
        if result.exit_code == _streams.READ_MISSING_EXIT:
            raise FileNotFoundError(path)
        if result.exit_code != 0:
            raise SandboxInfraError("lost", f"reading {path} failed: {result.stdout[:300]!r}", retryable=True)
        content = base64.b64decode(result.stdout)
        if len(content) > limit_bytes:
            raise over_limit(path, limit_bytes)
        return content

    async def alive(self, deadline: Deadline) -> bool:
        """Ask the API for the sandbox's state."""
        try:
            await ask(self._sandbox.refresh_data(), deadline, "asking for a sandbox", classify)
        except SandboxInfraError:
            return False
        return str(getattr(self._sandbox.state, "value", self._sandbox.state)) == "started"

    async def destroy(self, deadline: Deadline) -> None:
        """Delete the sandbox; one that is gone already is no error."""
        await _delete(self._sandbox, deadline)


async def _delete(sandbox: Any, deadline: Deadline) -> None:
    import daytona  # noqa: PLC0415

    try:
        await ask(sandbox.delete(timeout=_seconds(deadline)), deadline, "deleting a sandbox", classify)
    except SandboxInfraError as error:
        if not isinstance(error.__cause__, daytona.DaytonaNotFoundError):
            raise


def _seconds(deadline: Deadline) -> int:
    return math.ceil(deadline.remaining_s()) + SDK_GRACE_S


class DaytonaBackend(Backend):
    """Sandboxes at Daytona."""

    name = "daytona"
    grade = "vm"

    def __init__(self, *, snapshot: str | None = None, api_key: str | None = None) -> None:
        require_package("daytona", "daytona")
        self._key = api_key
        if not (os.environ.get("DAYTONA_JWT_TOKEN") and os.environ.get("DAYTONA_ORGANIZATION_ID")):
            require_settings("daytona", {"DAYTONA_API_KEY": api_key or os.environ.get("DAYTONA_API_KEY")})
        self._snapshot = snapshot
        # The SDK's connections belong to the event loop that opened them.
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Any]
        self._clients = weakref.WeakKeyDictionary()

    def _client(self) -> Any:
        import daytona  # noqa: PLC0415

        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            # Without a configuration the SDK reads its own environment variables. With one, the URL has to be
            # in it: looking for it elsewhere, the SDK warns about itself.
            api_url = os.environ.get("DAYTONA_API_URL", DEFAULT_API_URL)
            config = daytona.DaytonaConfig(api_key=self._key, api_url=api_url) if self._key else None
            self._clients[loop] = daytona.AsyncDaytona(config)
        return self._clients[loop]

    async def check(self, deadline: Deadline) -> str:
        """List one sandbox, which needs the service and the key."""
        try:
            await ask(self._list({LABEL_BOX: "1"}, most=1), deadline, "listing sandboxes", classify)
        except SandboxInfraError as error:
            raise BackendUnavailableError(f"Daytona cannot be used: {error}") from error
        return f"Daytona, snapshot {self._snapshot or 'by default'}"

    async def create(self, spec: BoxSpec, deadline: Deadline) -> Box:
        """Create a sandbox with all network blocked, labelled, that Daytona deletes by itself."""
        late_s = deadline.remaining_s() + LATE_CREATE_S

        async def create() -> Any:
            return await self._client().create(self._params(spec), timeout=late_s)

        async def see_off(sandbox: Any) -> None:
            await _delete(sandbox, Deadline.after(LATE_CREATE_S))

        sandbox = await ask(create(), deadline, "creating a sandbox", classify, late=see_off)
        return DaytonaBox(sandbox)

    def _params(self, spec: BoxSpec) -> Any:
        import daytona  # noqa: PLC0415

        minutes = math.ceil(spec.ttl_s / 60)
        common = {
            "os_user": "root",
            "labels": spec.labels,
            "network_block_all": True,
            "auto_stop_interval": minutes,
            "auto_delete_interval": 0,
            "ttl_minutes": minutes,
        }
        if spec.image is None:
            return daytona.CreateSandboxFromSnapshotParams(snapshot=self._snapshot, **common)
        resources = daytona.Resources(
            cpu=math.ceil(spec.cpus),
            memory=math.ceil(spec.memory_mb / 1024),
            disk=math.ceil(spec.disk_mb / 1024) + 1,
        )
        return daytona.CreateSandboxFromImageParams(image=spec.image, resources=resources, **common)

    async def sweep(self, deadline: Deadline, *, where: Mapping[str, str] | None = None) -> int:
        """Delete the sandboxes that our labels point to."""
        listing = self._list({LABEL_BOX: "1", **(where or {})})
        found = await ask(listing, deadline, "listing sandboxes", classify)
        swept = [sandbox for sandbox in found if is_swept(sandbox.labels or {}, where, now=time.time())]
        for sandbox in swept:
            await _delete(sandbox, deadline)
        return len(swept)

    async def _list(self, labels: Mapping[str, str], most: int | None = None) -> list[Any]:
        import daytona  # noqa: PLC0415

        found = []
        async for sandbox in self._client().list(daytona.ListSandboxesQuery(labels=dict(labels), limit=most)):
            found.append(sandbox)
            if len(found) == most:
                break
        return found

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()
