"""The first steps of a solution host, inside its box."""

from __future__ import annotations

import importlib
import os
from typing import Any

from deepgym_solution import _host
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


def main(config: dict[str, Any]) -> None:
    """Prepare the process, prove that children can be sealed, and serve."""
    control: int = config["control"]
    try:
        if config["boxed"]:
            _host.prepare_process(config["drop_to"], fresh_proc=config["drop_to"] is not None)
        for name in (*PRELOAD, *config["preload"]):
            importlib.import_module(name)
        seal.prepare_filters()
        host = _host.SolutionHost(control, config["caller"], nested=config["nested"])
        if config["nested"]:
            try_nesting()
    except OSError as exc:
        state = "no-nesting" if isinstance(exc, NestingError) else "failed"
        os.write(control, wire.encode_value((state, f"{exc}")))
        return
    os.write(control, wire.encode_value(("ready", os.getpid())))
    host.serve()


class NestingError(OSError):
    """Children cannot have namespaces of their own here."""


def try_nesting() -> None:
    """Seal one child that does nothing.

    Raises:
        NestingError: A step was refused; the message says which.
    """
    uid, gid = os.getuid(), os.getgid()
    read_end, write_end = os.pipe()
    try:
        pid = kernel.clone(_host.NAMESPACES)
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


__all__ = ["NestingError", "entry", "main", "try_nesting"]
