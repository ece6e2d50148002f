"""Boxes in a Docker engine: one throw-away container each, through the `docker` package.

The container has no network, a root that cannot be written, bounded folders in memory, the
few capabilities that the runner needs to give the solution another user, no way to gain
any, and our own system-call profile. Its first process ends it after its time, and the engine
then removes it, so that nothing stays if we die.

The SDK is synchronous: each call runs in a thread, within our deadline.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from deepgym.backends import _docker_exec, _streams
from deepgym.backends._deadline import Deadline, bounded, in_thread
from deepgym.backends._docker_seccomp import profile_json
from deepgym.backends._vendor import ask, over_limit, require_package, words_of
from deepgym.backends.base import LABEL_BOX, Backend, Box, BoxSpec, ExecResult, File, Program, is_swept
from deepgym.errors import BackendUnavailableError, SandboxInfraError

DEFAULT_IMAGE = "python:3.12-slim"

# Pulling an image is not part of any run's time.
PULL_S = 900.0
PROGRESS_PERIOD_S = 2.0

# An engine's answer to one request: what a slow disk needs for a container. Our own deadline is sharper.
SDK_TIMEOUT_S = 120
MAX_CONNECTIONS = 256

# What the runner needs: another user for the solution, and to end and to read what that user has.
RUNNER_CAPABILITIES = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETPCAP", "SETUID"]

# The first process: collects what others leave behind, and ends when its time is up. It needs only Python.
KEEPER = """\
import os, signal, sys, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
end = time.monotonic() + float(sys.argv[1])
while (left := end - time.monotonic()) > 0:
    signal.sigtimedwait([signal.SIGCHLD], left)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
"""


def classify(error: Exception, what: str) -> SandboxInfraError:
    """What an exception that came out of the SDK says about the container."""
    import docker.errors as seen  # noqa: PLC0415  # loads for a while: only those who use it wait
    import requests.exceptions as http  # noqa: PLC0415

    detail = f"{what}: {words_of(error)}"
    if isinstance(error, seen.ImageNotFound):
        return SandboxInfraError("create_failed", detail, retryable=False)
    if isinstance(error, seen.NotFound):
        return SandboxInfraError("lost", detail, retryable=True)
    if isinstance(error, seen.APIError):
        return _of_api_error(error, detail)
    if isinstance(error, http.Timeout):
        return SandboxInfraError("timeout", detail, retryable=True)
    if isinstance(error, http.ConnectionError | seen.DockerException):
        return SandboxInfraError(
            "unavailable", f"{detail}: start the docker engine, or pass another mode", retryable=True
        )
    if isinstance(error, OSError):
        return SandboxInfraError("lost", detail, retryable=True)
    return SandboxInfraError("protocol", detail, retryable=True)


def _of_api_error(error: Any, detail: str) -> SandboxInfraError:
    text = str(error)
    if "executable file not found" in text or "no such file or directory: unknown" in text:
        return SandboxInfraError("create_failed", f"the image has no python3 ({detail})", retryable=False)
    if "no space left" in text:
        return SandboxInfraError("create_failed", f"the engine's disk is full ({detail})", retryable=False)
    if error.status_code == 409:
        return SandboxInfraError("lost", detail, retryable=True)
    if error.status_code in {401, 403}:
        return SandboxInfraError("auth", detail, retryable=False)
    is_server = error.status_code is None or error.status_code >= 500
    return SandboxInfraError("unavailable" if is_server else "create_failed", detail, retryable=is_server)


class DockerProgram(Program):
    """A program started by `docker exec` that has not been given its input yet."""

    def __init__(self, api: Any, exec_id: str, attached: _docker_exec.Attached) -> None:
        self._api = api
        self._id = exec_id
        self._attached = attached

    async def finish(self, stdin: bytes, deadline: Deadline, *, output_limit_bytes: int) -> ExecResult:
        """Send the input and read both streams until the program ends."""
        call = in_thread(self._finish, stdin, deadline, output_limit_bytes)
        return await ask(call, deadline, "running a command", classify)

    def _finish(self, stdin: bytes, deadline: Deadline, output_limit_bytes: int) -> ExecResult:
        stdout, stderr = self._attached.converse(stdin, deadline, output_limit_bytes)
        state = self._api.exec_inspect(self._id)
        # The stream of a connection that was cut ends like any other; the engine knows better.
        if state.get("Running") or state.get("ExitCode") is None:
            raise SandboxInfraError("lost", "the connection ended before the program", retryable=True)
        truncated = stdout.truncated or stderr.truncated
        return ExecResult(int(state["ExitCode"]), stdout.value(), stderr.value(), truncated)


class DockerBox(Box):
    """One container."""

    def __init__(self, api: Any, container_id: str) -> None:
        self._api = api
        self._attached: list[_docker_exec.Attached] = []
        self.id = container_id

    async def put(self, files: Sequence[File], deadline: Deadline) -> None:
        """Send all files to a program that writes them: the engine's copying misses folders in memory."""
        program = await self.start(_streams.unpack_argv(), deadline)
        result = await program.finish(_streams.pack(files), deadline, output_limit_bytes=4096)
        if result.exit_code != 0:
            words = (result.stderr or result.stdout)[:300].decode(errors="replace")
            raise SandboxInfraError("create_failed", f"writing files failed: {words}", retryable=False)

    async def exec(self, argv: Sequence[str], deadline: Deadline, *, output_limit_bytes: int) -> ExecResult:
        """Run a program as the container's root."""
        program = await self.start(argv, deadline, stdin=False)
        return await program.finish(b"", deadline, output_limit_bytes=output_limit_bytes)

    async def start(self, argv: Sequence[str], deadline: Deadline, *, stdin: bool = True) -> DockerProgram:
        """Start a program with its streams attached."""
        call = in_thread(self._start, list(argv), deadline, stdin)
        return await ask(call, deadline, "starting a command", classify)

    def _start(self, argv: list[str], deadline: Deadline, stdin: bool) -> DockerProgram:
        created = self._api.exec_create(self.id, argv, stdin=stdin, user="0:0", workdir="/")
        attached = _docker_exec.Attached(self._api.exec_start(created["Id"], socket=True), deadline)
        self._attached.append(attached)
        return DockerProgram(self._api, created["Id"], attached)

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
        """Ask the engine for the container's state."""
        inspect = in_thread(self._api.inspect_container, self.id)
        try:
            state = await ask(inspect, deadline, "asking for a container", classify)
        except SandboxInfraError:
            return False
        return bool(state["State"]["Running"])

    async def destroy(self, deadline: Deadline) -> None:
        """Remove the container; one that is gone already is no error."""
        await ask(in_thread(remove, self._api, self.id), deadline, "removing a container", classify)
        # A program that was never given its input still holds its connection.
        while self._attached:
            self._attached.pop().close()


def remove(api: Any, container_id: str) -> None:
    """Remove a container, running or not; one that is gone, or going, is no error."""
    import docker.errors as seen  # noqa: PLC0415

    try:
        api.remove_container(container_id, v=True, force=True)
    except seen.NotFound:
        return
    except seen.APIError as error:
        if error.status_code != 409 or "already in progress" not in str(error):
            raise


class DockerBackend(Backend):
    """Containers in the engine that `DOCKER_HOST` or the current docker context points to."""

    name = "docker"
    shares_machine = True
    grade = "container"

    def __init__(self, *, image: str | None = None, progress: Callable[[str], None] | None = None) -> None:
        require_package("docker", "docker")
        self._image = image or DEFAULT_IMAGE
        self._progress = progress or _say
        self._lock = threading.Lock()
        self._pull_lock = threading.Lock()
        self._connected: Any = None
        self._present: set[str] = set()

    def _api(self) -> Any:
        """The SDK's connection to the engine, made once."""
        import docker  # noqa: PLC0415

        with self._lock:
            if self._connected is None:
                client = docker.from_env(timeout=SDK_TIMEOUT_S, max_pool_size=MAX_CONNECTIONS)
                self._connected = client.api
            return self._connected

    async def check(self, deadline: Deadline) -> str:
        """Ask the engine for its version."""
        try:
            version = await ask(in_thread(lambda: self._api().version()), deadline, "asking docker", classify)
        except SandboxInfraError as error:
            raise BackendUnavailableError(
                f"docker cannot run here: start the engine, or set DOCKER_HOST ({error.detail})"
            ) from error
        return f"docker engine {version.get('Version')}, image {self._image}"

    async def create(self, spec: BoxSpec, deadline: Deadline) -> Box:
        """Start a container; an image that is missing is pulled first, which the deadline does not bound."""
        image = spec.image or self._image
        if image not in self._present:
            await bounded(in_thread(self._ensure_image, image), Deadline.after(PULL_S), f"pulling {image}")
            deadline = Deadline.after(max(deadline.remaining_s(), 30.0))

        async def see_off(late: DockerBox) -> None:
            await in_thread(remove, self._api(), late.id)

        call = in_thread(self._create, image, spec)
        return await ask(call, deadline, "starting a container", classify, late=see_off)

    def _create(self, image: str, spec: BoxSpec) -> DockerBox:
        import docker.errors as seen  # noqa: PLC0415

        api = self._api()
        try:
            created = api.create_container(
                image,
                entrypoint=["python3", "-c", KEEPER, str(spec.ttl_s)],
                command=[],
                name=spec.name,
                labels=spec.labels,
                user="0:0",
                working_dir="/",
                hostname="box",
                healthcheck={"test": ["NONE"]},
                host_config=api.create_host_config(**host_options(spec)),
            )
        except seen.ImageNotFound:
            self._present.discard(image)
            raise
        try:
            api.start(created["Id"])
        except BaseException:
            remove(api, created["Id"])
            raise
        return DockerBox(api, created["Id"])

    def _ensure_image(self, image: str) -> None:
        """See that the engine has an image; pull it, and say so, if not.

        Raises:
            SandboxInfraError: It has not and cannot get it.
        """
        import docker.errors as seen  # noqa: PLC0415

        with self._pull_lock:
            try:
                if image not in self._present:
                    self._api().inspect_image(image)
            except seen.NotFound:
                self._pull(image)
            except Exception as error:
                raise classify(error, f"looking for the image {image}") from error
            self._present.add(image)

    def _pull(self, image: str) -> None:
        self._progress(f"docker: pulling {image}, which is not here yet")
        try:
            for words in _progress_of(self._api().pull(image, stream=True, decode=True)):
                self._progress(f"docker: pulling {image}: {words}")
        except Exception as error:
            detail = f"the image {image} is not here and cannot be pulled: run `docker pull {image}`"
            raise SandboxInfraError(
                "create_failed", f"{detail} ({words_of(error)})", retryable=False
            ) from error

    async def sweep(self, deadline: Deadline, *, where: Mapping[str, str] | None = None) -> int:
        """Remove the containers that our labels point to, running or not."""
        labels = [f"{name}={value}" for name, value in {LABEL_BOX: "1", **(where or {})}.items()]

        def find() -> list[Any]:
            found: list[Any] = self._api().containers(all=True, filters={"label": labels})
            return found

        rows = await ask(in_thread(find), deadline, "listing containers", classify)
        swept = [row["Id"] for row in rows if is_swept(row.get("Labels") or {}, where, now=time.time())]
        for container_id in swept:
            call = in_thread(remove, self._api(), container_id)
            await ask(call, deadline, "removing a container", classify)
        return len(swept)

    async def close(self) -> None:
        """Close the connections to the engine."""
        with self._lock:
            api, self._connected = self._connected, None
        if api is not None:
            api.close()


def host_options(spec: BoxSpec) -> dict[str, Any]:
    """What the engine is asked to hold a container to."""
    import docker.types  # noqa: PLC0415

    memory = f"{spec.memory_mb}m"
    bounded_tmpfs = f"rw,nosuid,nodev,size={spec.disk_mb}m,nr_inodes=65536"
    return {
        "network_mode": "none",
        "read_only": True,
        "tmpfs": {
            "/tmp": f"{bounded_tmpfs},exec,mode=1777",  # noqa: S108  # the box's own
            "/deepgym": f"{bounded_tmpfs},mode=0700",
        },
        "shm_size": f"{min(64, spec.disk_mb)}m",
        "cap_drop": ["ALL"],
        "cap_add": RUNNER_CAPABILITIES,
        "security_opt": ["no-new-privileges:true", f"seccomp={profile_json()}"],
        "pids_limit": spec.pids,
        "mem_limit": memory,
        "memswap_limit": memory,
        "nano_cpus": round(spec.cpus * 1e9),
        "ulimits": [docker.types.Ulimit(name="core", soft=0, hard=0)],
        "log_config": docker.types.LogConfig(type="none"),
        "auto_remove": True,
        "restart_policy": None,
    }


def _progress_of(events: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    """Now and then, how much of an image's layers is there; an error that the stream carries is raised."""
    layers: dict[str, tuple[int, int]] = {}
    said = time.monotonic()
    for event in events:
        if "error" in event:
            raise RuntimeError(str(event["error"]))
        detail = event.get("progressDetail") or {}
        if event.get("status") == "Downloading" and detail.get("total"):
            layers[str(event.get("id"))] = (int(detail.get("current", 0)), int(detail["total"]))
        if layers and time.monotonic() - said >= PROGRESS_PERIOD_S:
            said = time.monotonic()
            have, total = (sum(numbers) / 1e6 for numbers in zip(*layers.values(), strict=True))
            yield f"{have:.0f} of {total:.0f} MB"


def _say(words: str) -> None:
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()
