"""Every backend with something real behind it: the loopback servers, and a docker engine."""

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager

from deepgym.errors import SandboxInfraError  # noqa: F401  # what tests expect of a place
from tests.loopback.box import why_boxes_cannot_run
from tests.loopback.docker_engine import IMAGE, DockerEngine, why_docker_cannot_run

LOOPBACK = ("e2b", "daytona", "modal", "apple")
NAMES = (*LOOPBACK, "docker")

_engines: list[DockerEngine] = []


def why_missing(name: str) -> tuple[str, str | None]:
    """The capability that a place needs, and the reason why it is not there."""
    if name == "docker":
        return "docker", why_docker_cannot_run()
    if name != "apple" and importlib.util.find_spec(name) is None:
        return "remote", f"the package {name} is not installed"
    return "remote", why_boxes_cannot_run()


class Place:
    """A backend and what is behind it; `server` records requests and meets faults (None for docker)."""

    def __init__(self, name: str, backend, server) -> None:
        self.name = name
        self.backend = backend
        self.server = server
        # A template, image or snapshot without Python; the docker engine has one of its own.
        self.empty_image = {"docker": "deepgym-test-empty:1"}.get(name, "nopython")


@contextmanager
def place(name: str, monkeypatch) -> Iterator[Place]:
    """Bring a place up, point the environment at it, and take it down."""
    if name == "docker":
        engine = shared_engine()
        monkeypatch.setenv("DOCKER_HOST", engine.host)
        from deepgym.backends.docker import DockerBackend

        yield Place(name, DockerBackend(image=IMAGE), None)
        return
    server = _server(name)
    try:
        for variable, value in server.environment().items():
            monkeypatch.setenv(variable, value)
        yield Place(name, make_backend(name), server)
    finally:
        server.close()


def make_backend(name: str, **options):
    """The backend of that name, configured by the environment."""
    from deepgym.backends.registry import load_backend_class

    return load_backend_class(name)(**options)


def _server(name: str):
    if name == "e2b":
        from tests.loopback.e2b_server import E2BServer as Server
    elif name == "daytona":
        from tests.loopback.daytona_server import DaytonaServer as Server
    elif name == "modal":
        from tests.loopback.modal_server import ModalServer as Server
    else:
        from tests.loopback.apple_server import AppleServer as Server
    return Server()


def shared_engine() -> DockerEngine:
    """One engine for all tests of a process; `stop_shared_engine` ends it."""
    if not _engines:
        _engines.append(DockerEngine().start())
    return _engines[0]


def stop_shared_engine() -> None:
    """Stop the engine, if one was started."""
    while _engines:
        _engines.pop().stop()


def left_boxes(here: Place) -> list[str]:
    """What is still there of the boxes that a place has made."""
    if here.server is not None:
        return [box.id for box in here.server.made if box.alive]
    import docker

    client = docker.DockerClient(base_url=os.environ["DOCKER_HOST"])
    try:
        return [row["Id"] for row in client.api.containers(all=True, filters={"label": "deepgym-box=1"})]
    finally:
        client.close()
