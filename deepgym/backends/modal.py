"""Boxes at Modal, through the `modal` package.

Everything in a Modal sandbox runs as root; the runner gives the solution an account of its
own. Files travel through programs' standard streams, since Modal's file calls have no modes.
"""

import asyncio
import math
import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from deepgym.backends import _streams
from deepgym.backends._deadline import Deadline
from deepgym.backends._vendor import (
    LATE_CREATE_S,
    Capture,
    ask,
    over_limit,
    require_package,
    require_settings,
    words_of,
)
from deepgym.backends.base import LABEL_BOX, Backend, Box, BoxSpec, ExecResult, File, is_swept
from deepgym.errors import BackendUnavailableError, SandboxInfraError

APP_NAME = "deepgym"

# The SDK's own limit on a command is a second line of defence: ours ends first.
SDK_GRACE_S = 5


def classify(error: Exception, what: str) -> SandboxInfraError:
    """What an exception that came out of the SDK says about the box."""
    import modal.exception as seen  # noqa: PLC0415  # loads for a while: only those who use it wait

    detail = f"{what}: {words_of(error)}"
    if isinstance(error, seen.AuthError | seen.PermissionDeniedError):
        return SandboxInfraError("auth", detail, retryable=False)
    if isinstance(error, seen.ResourceExhaustedError):
        return SandboxInfraError("quota", detail, retryable=True)
    if isinstance(error, seen.TimeoutError):
        return SandboxInfraError("timeout", detail, retryable=True)
    if isinstance(error, seen.NotFoundError | seen.SandboxTerminatedError | seen.ConflictError):
        return SandboxInfraError("lost", detail, retryable=True)
    if isinstance(error, seen.ConnectionError | seen.ServiceError | seen.InternalError):
        return SandboxInfraError("unavailable", detail, retryable=True)
    if isinstance(error, seen.InvalidError | seen.ImageBuildError):
        return SandboxInfraError("create_failed", detail, retryable=False)
    # An end without a status, a connection that broke below the SDK: bare exceptions come out of it.
    return SandboxInfraError("protocol", detail, retryable=True)


class ModalBox(Box):
    """One sandbox at Modal."""

    def __init__(self, sandbox: Any) -> None:
        self._sandbox = sandbox
        self.id: str = sandbox.object_id

    async def put(self, files: Sequence[File], deadline: Deadline) -> None:
        """Send all files to one program that writes them."""
        data = _streams.pack(files)
        unpack = self._run(_streams.unpack_argv(), deadline, output_limit_bytes=4096, stdin=data)
        result = await ask(unpack, deadline, "writing files", classify)
        if result.exit_code in {126, 127}:
            raise SandboxInfraError("create_failed", "the image has no python3", retryable=False)
        if result.exit_code != 0:
            detail = f"writing files failed: {result.stderr[:300]!r}"
            raise SandboxInfraError("create_failed", detail, retryable=False)

    async def exec(self, argv: Sequence[str], deadline: Deadline, *, output_limit_bytes: int) -> ExecResult:
        """Run a program, and read its two streams side by side."""
        run = self._run(argv, deadline, output_limit_bytes=output_limit_bytes)
        return await ask(run, deadline, "running a command", classify)

    async def _run(
        self, argv: Sequence[str], deadline: Deadline, *, output_limit_bytes: int, stdin: bytes = b""
    ) -> ExecResult:
        limit_s = math.ceil(deadline.remaining_s()) + SDK_GRACE_S
        process = await self._sandbox.exec.aio(*argv, timeout=limit_s, workdir="/", text=False)
        if stdin:
            process.stdin.write(stdin)
            await process.stdin.drain.aio()
        # The end is only sent by a drain of its own.
        process.stdin.write_eof()
        await process.stdin.drain.aio()
        stdout, stderr = Capture(output_limit_bytes), Capture(output_limit_bytes)

        async def read(stream: Any, kept: Capture) -> None:
            async for piece in stream:
                kept.add(piece)

        await asyncio.gather(read(process.stdout, stdout), read(process.stderr, stderr))
        exit_code = await process.wait.aio()
        truncated = stdout.truncated or stderr.truncated
        # -1 stands for a time-out, of the program or of the asking.
        return ExecResult(exit_code if exit_code >= 0 else None, stdout.value(), stderr.value(), truncated)

    async def get(self, path: str, deadline: Deadline, *, limit_bytes: int) -> bytes:
        """Have a program write the file to its standard output."""
        argv = _streams.read_argv(path, limit_bytes)
        result = await self.exec(argv, deadline, output_limit_bytes=limit_bytes + 1)
        if result.exit_code == _streams.READ_MISSING_EXIT:
            raise FileNotFoundError(path)
        if result.exit_code != 0:
            raise SandboxInfraError("lost", f"reading {path} failed: {result.stderr[:300]!r}", retryable=True)
        if len(result.stdout) > limit_bytes:
            raise over_limit(path, limit_bytes)
        return result.stdout

    async def alive(self, deadline: Deadline) -> bool:
        """Ask whether the sandbox has a result yet."""
        try:
            return await ask(self._sandbox.poll.aio(), deadline, "asking for a sandbox", classify) is None
        except SandboxInfraError:
            return False

    async def destroy(self, deadline: Deadline) -> None:
        """Terminate the sandbox; one that is gone already is no error."""
        await _terminate(self._sandbox, deadline)


async def _terminate(sandbox: Any, deadline: Deadline) -> None:
    try:
        await ask(sandbox.terminate.aio(), deadline, "terminating a sandbox", classify)
    except SandboxInfraError as error:
        if error.kind != "lost":
            raise


class ModalBackend(Backend):
    """Sandboxes at Modal."""

    name = "modal"
    grade = "vm"

    def __init__(
        self, *, image: str | None = None, token_id: str | None = None, token_secret: str | None = None
    ) -> None:
        require_package("modal", "modal")
        self._token = (
            token_id or os.environ.get("MODAL_TOKEN_ID"),
            token_secret or os.environ.get("MODAL_TOKEN_SECRET"),
        )
        config = Path(os.environ.get("MODAL_CONFIG_PATH") or "~/.modal.toml").expanduser()
        if not all(self._token) and not config.exists():
            names = {"MODAL_TOKEN_ID": self._token[0], "MODAL_TOKEN_SECRET": self._token[1]}
            require_settings("modal", names)
        self._image = image
        # The SDK runs on an event loop of its own: one client serves all of ours.
        self._lock = threading.Lock()
        self._opened: Any = None

    async def _client(self) -> Any:
        import modal  # noqa: PLC0415

        with self._lock:
            client = self._opened
        if client is not None:
            return client
        if all(self._token):
            client = await modal.Client.from_credentials.aio(*self._token)
        else:
            client = await modal.Client.from_env.aio()
        with self._lock:
            self._opened = self._opened or client
            return self._opened

    async def _app(self) -> Any:
        import modal  # noqa: PLC0415

        return await modal.App.lookup.aio(APP_NAME, create_if_missing=True, client=await self._client())

    async def check(self, deadline: Deadline) -> str:
        """Look up the app that our sandboxes belong to."""
        try:
            await ask(self._app(), deadline, "looking up the app", classify)
        except SandboxInfraError as error:
            raise BackendUnavailableError(f"Modal cannot be used: {error}") from error
        return f"Modal, app {APP_NAME}, image {self._image or 'Debian with Python'}"

    async def create(self, spec: BoxSpec, deadline: Deadline) -> Box:
        """Create a sandbox with its network blocked, labelled, that Modal ends by itself."""
        import modal  # noqa: PLC0415

        async def create() -> Any:
            return await modal.Sandbox.create.aio(
                app=await self._app(),
                client=await self._client(),
                image=self._image_of(spec),
                timeout=spec.ttl_s,
                cpu=(spec.cpus, spec.cpus),
                memory=(spec.memory_mb, spec.memory_mb),
                block_network=True,
                tags=spec.labels,
            )

        async def see_off(sandbox: Any) -> None:
            await _terminate(sandbox, Deadline.after(LATE_CREATE_S))

        sandbox = await ask(create(), deadline, "creating a sandbox", classify, late=see_off)
        return ModalBox(sandbox)

    def _image_of(self, spec: BoxSpec) -> Any:
        import modal  # noqa: PLC0415

        image = spec.image or self._image
        if image is None:
            return modal.Image.debian_slim()
        if image.startswith("im-"):
            return modal.Image.from_id(image)
        return modal.Image.from_registry(image)

    async def sweep(self, deadline: Deadline, *, where: Mapping[str, str] | None = None) -> int:
        """Terminate the sandboxes that our labels point to."""
        import modal  # noqa: PLC0415

        async def find() -> list[Any]:
            app, client = await self._app(), await self._client()
            tags = {LABEL_BOX: "1", **(where or {})}
            listing = modal.Sandbox.list.aio(app_id=app.app_id, tags=tags, client=client)
            found = [sandbox async for sandbox in listing]
            # The listing gives no labels back; they matter only where they were not the question.
            return [
                sandbox
                for sandbox in found
                if is_swept(
                    tags if where is not None else await sandbox.get_tags.aio(), where, now=time.time()
                )
            ]

        swept = await ask(find(), deadline, "listing sandboxes", classify)
        for sandbox in swept:
            await _terminate(sandbox, deadline)
        return len(swept)

    async def close(self) -> None:
        """Close the client's connections."""
        with self._lock:
            client, self._opened = self._opened, None
        if client is not None:
            await client.close.aio()
