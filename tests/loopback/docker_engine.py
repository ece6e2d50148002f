"""A real docker engine for tests: the one that `DOCKER_HOST` names, else one of our own in a temporary folder.

Ours has no network and no bridge, keeps everything below that folder, and is stopped by its process id.
The image is made from the machine's own Python: no registry can be reached from a test.
"""

import contextlib
import io
import os
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path

IMAGE = "deepgym-test-python:1"
EMPTY_IMAGE = "deepgym-test-empty:1"
START_S = 60

# Parts of the standard library that no test needs; the image is copied for every container on a plain disk.
LEFT_OUT = {
    "idlelib",
    "test",
    "tests",
    "lib2to3",
    "ensurepip",
    "tkinter",
    "turtledemo",
    "pydoc_data",
    "distutils",
}
PROGRAMS = ["/usr/bin/python3", "/bin/sh", "/bin/cat", "/bin/sleep", "/usr/bin/id"]


def why_docker_cannot_run() -> str | None:
    """The reason why no engine can be had here, or None."""
    try:
        import docker  # noqa: F401
    except ImportError:
        return "the docker package is not installed"
    if os.environ.get("DEEPGYM_TEST_DOCKER_HOST"):
        return None
    if shutil.which("dockerd") is None:
        return "dockerd is not installed"
    if os.geteuid() != 0:
        return "an engine of our own needs root"
    if not Path("/usr/bin/python3").exists():
        return "there is no /usr/bin/python3 to make an image from"
    return None


class DockerEngine:
    """`start()`, use `host`, `stop()`."""

    def __init__(self):
        self.host = os.environ.get("DEEPGYM_TEST_DOCKER_HOST", "")
        self._daemon: subprocess.Popen | None = None
        self._folder: Path | None = None

    def start(self) -> "DockerEngine":
        if not self.host:
            self._folder = Path(tempfile.mkdtemp(prefix="deepgym-dockerd-"))
            self.host = f"unix://{self._folder}/socket"
            argv = [
                "dockerd",
                "--storage-driver=vfs",
                "--bridge=none",
                "--iptables=false",
                "--host",
                self.host,
            ]
            argv += ["--data-root", f"{self._folder}/data", "--exec-root", f"{self._folder}/exec"]
            argv += ["--pidfile", f"{self._folder}/pid"]
            log = (self._folder / "log").open("wb")
            with log:
                self._daemon = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            self._await_socket()
        import docker

        client = docker.DockerClient(base_url=self.host)
        with contextlib.closing(client):
            for tag, archive in ((IMAGE, python_archive), (EMPTY_IMAGE, empty_archive)):
                try:
                    client.images.get(tag)
                except docker.errors.ImageNotFound:
                    name, _, version = tag.partition(":")
                    client.api.import_image_from_data(archive(), repository=name, tag=version)
        return self

    def _await_socket(self) -> None:
        deadline = time.monotonic() + START_S
        while True:
            with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
                probe.connect(f"{self._folder}/socket")
                probe.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
                if b"200 OK" in probe.recv(64):
                    return
            if time.monotonic() > deadline or self._daemon.poll() is not None:
                log_text = (self._folder / "log").read_text()
                self.stop()
                raise RuntimeError(f"dockerd did not start: {log_text[-2000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        if self._daemon is not None:
            self._daemon.send_signal(signal.SIGTERM)
            try:
                self._daemon.wait(30)
            except subprocess.TimeoutExpired:
                self._daemon.kill()
                self._daemon.wait()
        if self._folder is not None:
            mounts = Path("/proc/self/mounts").read_text().splitlines()
            for mount in reversed([line.split()[1] for line in mounts if str(self._folder) in line]):
                subprocess.run(["umount", "-l", mount], check=False)
            shutil.rmtree(self._folder, ignore_errors=True)


def _libraries(program: str) -> set[str]:
    found = set()
    for line in subprocess.run(
        ["ldd", program], capture_output=True, text=True, check=False
    ).stdout.splitlines():
        found |= {word for word in line.split() if word.startswith("/")}
    return found


def python_archive() -> bytes:
    """A root file system with Python and a few programs, as a tar."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        _skeleton(tar)
        library = Path(f"/usr/lib/{Path('/usr/bin/python3').resolve().name}")
        modules = list((library / "lib-dynload").glob("*.so"))
        needed = {
            name for path in [*PROGRAMS, *map(str, modules)] for name in _libraries(os.path.realpath(path))
        }
        for path in sorted(needed):
            _add(tar, os.path.realpath(path), path)
        for path in PROGRAMS:
            _add(tar, os.path.realpath(path), path)
        # Folders too: those that are only implied are made for root alone.
        for folder in ("/usr", "/usr/bin", "/usr/lib", str(library)):
            _add(tar, folder, folder)
        for path in sorted(library.rglob("*")):
            if path.is_dir() and not LEFT_OUT.intersection(path.relative_to(library).parts):
                _add(tar, str(path), str(path))
            if not LEFT_OUT.intersection(path.relative_to(library).parts) and path.is_file():
                _add(tar, str(path), str(path))
    return buffer.getvalue()


def empty_archive() -> bytes:
    """A root file system with nothing to run."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        _skeleton(tar)
    return buffer.getvalue()


def _skeleton(tar: tarfile.TarFile) -> None:
    for name, mode in {
        "tmp": 0o1777,
        "etc": 0o755,
        "root": 0o700,
        "proc": 0o755,
        "sys": 0o755,
        "dev": 0o755,
        "sbin": 0o755,
    }.items():
        folder = tarfile.TarInfo(name)
        folder.type, folder.mode = tarfile.DIRTYPE, mode
        tar.addfile(folder)
    passwd = b"root:x:0:0:root:/root:/bin/sh\n"
    entry = tarfile.TarInfo("etc/passwd")
    entry.size = len(passwd)
    tar.addfile(entry, io.BytesIO(passwd))


def _add(tar: tarfile.TarFile, source: str, target: str) -> None:
    info = tar.gettarinfo(source, target.lstrip("/"))
    info.uid = info.gid = 0
    if info.isdir():
        tar.addfile(info)
        return
    with open(source, "rb") as content:
        tar.addfile(info, content)
