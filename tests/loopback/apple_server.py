"""A stand-in for Apple's `container` command: a strict parser in front of our own boxes.

The command that tests put on PATH only passes its arguments and its three streams to the server here,
and ends as it is told. A flag that the real command does not know ends with 64, as there.
"""

import contextlib
import itertools
import json
import os
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from deepgym.backends._streams import READ, UNPACK
from tests.loopback.box import Box, shell_code
from tests.loopback.faults import Faults

COMMAND = """#!{python} -SE
import os, socket, struct, sys
there = socket.socket(socket.AF_UNIX)
there.connect({path!r})
asked = "\\0".join(sys.argv[1:]).encode()
socket.send_fds(there, [struct.pack(">I", len(asked))], [0, 1, 2])
there.sendall(asked)
code = there.recv(1)
os._exit(code[0] if code else 1)
"""

# Flags of the real command that take a value, and those that take none, by subcommand.
VALUES = {
    "run": {
        "--name",
        "-l",
        "--label",
        "--network",
        "--cpus",
        "--memory",
        "-m",
        "--tmpfs",
        "--ulimit",
        "-e",
        "-u",
        "--uid",
        "--gid",
        "-w",
        "--progress",
        "--cap-drop",
    },
    "exec": {"-e", "-u", "--user", "--uid", "--gid", "-w", "--workdir"},
    "ls": {"--format"},
    "rm": set(),
}
SWITCHES = {
    "run": {"-d", "--detach", "--read-only", "--init", "-i", "--rm"},
    "exec": {"-i", "-d"},
    "ls": {"--all", "-a"},
    "rm": {"--force", "-f", "--all"},
}
IMAGES = {"python:3.12-slim", "docker.io/library/python:3.12-slim", "nopython"}


class UsageError(Exception):
    """The real command ends with 64."""


class CommandError(Exception):
    """The real command writes `Error: ...` and ends with 1."""


class AppleServer:
    """Make one, put `environment()` into the environment, and `container` is on PATH."""

    def __init__(self):
        self.faults = Faults()
        self.requests: list[tuple[str, list[str]]] = []
        self.boxes: dict[str, Box] = {}
        self.made: list[Box] = []
        self.numbers = itertools.count(1)
        self.closing = threading.Event()
        self.service_runs = True
        self.folder = Path(tempfile.mkdtemp(prefix="loopback-apple-"))
        path = self.folder / "socket"
        command = self.folder / "container"
        command.write_text(COMMAND.format(python=sys.executable, path=str(path)))
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(256)
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def environment(self) -> dict[str, str]:
        return {"PATH": f"{self.folder}:{os.environ['PATH']}"}

    def asked(self, route: str) -> list[list[str]]:
        return [argv for name, argv in self.requests if name == route]

    def close(self) -> None:
        self.closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)
        for box in self.made:
            box.kill()
        for path in self.folder.iterdir():
            path.unlink()
        self.folder.rmdir()

    def _accept(self) -> None:
        while True:
            try:
                there, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(there,), daemon=True).start()

    def _serve(self, there: socket.socket) -> None:
        with there:
            head, streams, _, _ = socket.recv_fds(there, 4, 3)
            (length,) = struct.unpack(">I", head)
            argv = there.recv(length, socket.MSG_WAITALL).decode().split("\0")
            try:
                code = self._answer(argv, streams, there)
            except UsageError as error:
                os.write(streams[2], f"Error: {error}\nUsage: container <subcommand>\n".encode())
                code = 64
            except CommandError as error:
                os.write(streams[2], f"Error: {error}\n".encode())
                code = 1
            finally:
                for stream in streams:
                    os.close(stream)
            # A command that was killed meanwhile does not wait for this.
            if code is not None:
                with contextlib.suppress(OSError):
                    there.sendall(bytes([code]))

    def _answer(self, argv, streams, there) -> int | None:
        name = argv[0]
        route = {"run": "create", "rm": "destroy", "ls": "list", "system": "alive"}.get(name, "exec")
        # The adapter reads and writes files with programs of its own; only the others are a run.
        route = "put" if UNPACK in argv else "get" if READ in argv else route
        self.requests.append((route, argv))
        fault = self.faults.take(route)
        action = fault.action if fault else ""
        if action == "hang":
            self.closing.wait()
        if action in {"hang", "drop_before"}:
            return None
        if action == "status":
            raise CommandError(fault.body)
        if action == "late":
            self.closing.wait(fault.seconds)
        if name == "system":
            return 0 if self.service_runs else 1
        if name not in VALUES:
            raise UsageError(f"unknown subcommand {name}")
        options, rest = _parse(name, argv[1:])
        if action in {"expire", "expire_later"}:
            kill = self._box(rest).kill
            if action == "expire":
                kill()
            else:
                threading.Timer(fault.seconds, kill).start()
        code = getattr(self, f"_{name}")(options, rest, streams, fault)
        return None if action in {"drop_after", "cut"} else code

    def _box(self, rest) -> Box:
        box = self.boxes.get(rest[0]) if rest else None
        if box is None or not box.alive:
            raise CommandError(f'notFound: "container {rest[0] if rest else ""} not found"')
        return box

    def _run(self, options, rest, streams, fault) -> int:
        if "-d" not in options:
            raise UsageError("the stand-in runs detached containers only")
        image, *command = rest
        name = options["--name"][0]
        if name in self.boxes and self.boxes[name].alive:
            raise CommandError(f'exists: "container already exists: {name}"')
        if image not in IMAGES:
            raise CommandError(f'notFound: "image {image} not found"')
        memory = options["--memory"][0]
        if not memory.endswith("M") or int(memory[:-1]) < 200:
            raise CommandError(f"invalidArgument: memory {memory}")
        assert command[0] == "sleep"
        labels = dict(item.split("=", 1) for item in options.get("-l", []))
        closed = options.get("--network") == ["none"] and not (fault and fault.action == "open_network")
        box = Box(name, network=not closed, labels=labels, python=image != "nopython").start()
        self.made.append(box)
        self.boxes[name] = box
        os.write(streams[1], f"{name}\n".encode())
        return 0

    def _exec(self, options, rest, streams, fault) -> int:
        box = self._box(rest)
        user = "user" if options.get("--uid", ["0"])[0] == "1000" else "root"
        stdin = streams[0] if "-i" in options else subprocess.DEVNULL
        program = box.popen(
            rest[1:], user=user, cwd=options.get("-w", ["/"])[0], stdin=stdin, streams=streams[1:]
        )
        code = shell_code(program.wait())
        if not box.alive:
            raise CommandError("interrupted: the container stopped")
        return code

    def _ls(self, options, rest, streams, _fault) -> int:
        if options.get("--format") != ["json"]:
            raise UsageError("the stand-in lists as json only")
        rows = []
        for number, box in enumerate(self.boxes.values()):
            state = "running" if box.alive else "stopped"
            configuration = {"id": box.id, "labels": box.labels}
            # Both forms that versions of the command print.
            new = {"id": box.id, "configuration": configuration, "status": {"state": state}}
            rows.append(new if number % 2 else {"configuration": configuration, "status": state})
        os.write(streams[1], json.dumps(rows).encode())
        return 0

    def _rm(self, options, rest, streams, _fault) -> int:
        box = self.boxes.get(rest[0])
        if box is None:
            raise CommandError(f'notFound: "container {rest[0]} not found"')
        if box.alive and not options.keys() & {"--force", "-f"}:
            raise CommandError("invalidState: the container is running")
        box.kill()
        del self.boxes[rest[0]]
        os.write(streams[1], f"{rest[0]}\n".encode())
        return 0


def _parse(name: str, argv: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Options up to the first argument that is none, and the arguments."""
    options: dict[str, list[str]] = {}
    while argv and argv[0].startswith("-"):
        flag = argv.pop(0)
        if flag in SWITCHES[name]:
            options[flag] = []
        elif flag in VALUES[name] and argv:
            options.setdefault(flag, []).append(argv.pop(0))
        else:
            raise UsageError(f"Unknown option '{flag}'")
    return options, argv
