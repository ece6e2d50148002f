"""The first steps of a solution host, inside its box; and those of a box that serves a single request."""

from __future__ import annotations

import importlib
import os
import site
import socket
from typing import Any

from deepgym_solution import _host, _spawn, _users
from deepgym_solution._child import entry, kernel, seal, wire
from deepgym_solution._isolation.policy import Policy

# What answers import most, imported once in the template. The first group is used by the runtime itself.
PRELOAD = (
    "encodings.idna",
    "linecache",
    "traceback",
    "bisect",
    "collections.abc",
    "copy",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "inspect",
    "itertools",
    "json",
    "math",
    "operator",
    "random",
    "re",
    "statistics",
    "string",
    "typing",
)


class NestingError(OSError):
    """Children cannot have namespaces of their own here."""


def prepare(config: dict[str, Any], preload: tuple[str, ...]) -> None:
    """Bring the process to the point from which children can be forked, or from which it can become one.

    Raises:
        OSError: A step was refused: this machine cannot host this way.
    """
    if config["boxed"]:
        _host.prepare_process(config["drop_to"], fresh_proc=config["drop_to"] is not None)
    # Names that `site` gives every interpreter; programs call exit() and quit(). (site itself does not run: see -S.)
    site.setquit()
    site.setcopyright()
    site.sethelper()
    for name in (*preload, *config["preload"]):
        importlib.import_module(name)
    seal.prepare_filters()
    seal.show_in_tmp(config["readable"])


def main(config: dict[str, Any]) -> None:
    """Prepare the process, prove that children can be sealed, and serve."""
    control: int = config["control"]
    try:
        prepare(config, PRELOAD)
        if config["way"] == "single":
            serve_one(control, entry.become_solution)
            return
        if config["way"] == "nested":
            try_nesting()
        become, way = entry.become_solution, config["way"]
        spawner = spawner_of(way, become, seal.NAMESPACES, seal.SOLUTION_UIDS)
        host = _host.SolutionHost(control, config["caller"], spawner)
    except OSError as exc:
        tell_failure(control, exc)
        return
    tell_ready(control)
    host.serve()


def spawner_of(way: str, become: _spawn.Become, namespaces: int, uids: tuple[int, int]) -> _spawn.Spawner:
    """What starts the children of a host that serves this way."""
    if way == "nested":
        return _spawn.Cloned(become, namespaces)
    return _users.Users(become, uids) if way == "users" else _spawn.Forked(become)


def tell_ready(control: int) -> None:
    """Say that requests will be served from now on."""
    os.write(control, wire.encode_value(("ready", os.getpid())))


def tell_failure(control: int, exc: OSError) -> None:
    """Say why there will be no host."""
    state = "no-nesting" if isinstance(exc, NestingError) else "failed"
    os.write(control, wire.encode_value((state, str(exc))))


def serve_one(control: int, become: _spawn.Become) -> None:
    """Wait for one request and become what it asks for; end quietly when the socket closes first."""
    with socket.socket(fileno=control) as sock:
        message, fds, _, _ = socket.recv_fds(sock, _spawn.MAX_REQUEST_BYTES, _spawn.MAX_REQUEST_FDS)
        if message:
            become(_spawn.Request(message, tuple(fds)), seal.Place("single"))


def try_nesting() -> None:
    """Seal one child that does nothing.

    Raises:
        NestingError: A step was refused; the message says which.
    """
    uid, gid = os.getuid(), os.getgid()
    read_end, write_end = os.pipe()
    try:
        pid = kernel.clone(seal.NAMESPACES)
    except OSError as exc:
        raise NestingError(exc.errno, f"children cannot have namespaces of their own: {exc}") from exc
    if pid == 0:
        try:
            seal.enter_namespaces(Policy(), uid, gid)
            seal.give_up_privileges(inet=False, execute=False)
        except OSError as exc:
            os.write(write_end, str(exc).encode())
            os._exit(1)
        os._exit(0)
    os.close(write_end)
    said = os.read(read_end, 1000).decode("utf-8", "replace")
    os.close(read_end)
    os.waitpid(pid, 0)
    if said:
        raise NestingError(0, f"children cannot be sealed: {said}")
