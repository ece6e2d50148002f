"""The control: makes attempts outside any sandbox, each in a child of its own. Standard library only.

Reads one JSON object from stdin, {"modules": {name: source}, "attempts": [[name, module, function, bait, arguments,
repeat], ...]}, and prints {name: [state, said], ...}.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from typing import Any

_TIMEOUT_S = 30.0


def main() -> None:
    """Serve one request."""
    request = json.load(sys.stdin)
    modules: dict[str, dict[str, Any]] = {}
    for name, source in request["modules"].items():
        modules[name] = {"__name__": name}
        exec(compile(source, name, "exec"), modules[name])  # noqa: S102 - the doctor's own attempts
    outcome = {}
    for name, module, function, bait, arguments, repeat in request["attempts"]:
        for _ in range(repeat):
            outcome[name] = _in_a_child(modules[module][function], bait, arguments)
    json.dump(outcome, sys.stdout)


def _in_a_child(attempt: Any, bait: dict[str, Any], arguments: list[Any]) -> list[str]:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - ends with the process
        os.write(writer, json.dumps(_ended(attempt, bait, arguments)).encode() + b"\n")
        os._exit(0)
    os.close(writer)
    # What the attempt leaves behind holds the pipe too: its line says that it is done, not its end.
    said = b""
    while not said.endswith(b"\n"):
        ready, _, _ = select.select([reader], [], [], _TIMEOUT_S)
        data = os.read(reader, 65_536) if ready else b""
        if not data:
            break
        said += data
    os.close(reader)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return json.loads(said) if said.endswith(b"\n") else ["ended", "it did not come back"]


def _ended(attempt: Any, bait: dict[str, Any], arguments: list[Any]) -> list[str]:
    try:
        got = attempt(bait, *arguments)
    except (OSError, MemoryError) as exc:
        return ["refused", getattr(exc, "strerror", None) or str(exc) or type(exc).__name__]
    except Exception as exc:  # noqa: BLE001 - the attempt is at fault, and the report says so
        return ["broken", f"{type(exc).__name__}: {exc}"]
    return ["nothing", ""] if got is None else ["reached", str(got)[:1000]]


if __name__ == "__main__":
    main()
