"""The keeper of pre-started boxes: a host for machines that refuse namespaces inside a box (AppArmor, some containers).

It runs outside any box and runs nothing of a solution: it starts boxes ahead, hands each one request, and ends it when
its lifeline says so. What a request can use is the same; only the start of a box is dearer.
"""

from __future__ import annotations

import os
import socket
import subprocess
from typing import Any

from deepgym_solution import _host, _process, _spawn
from deepgym_solution._child import boot


def spawner(role: str, bwrap: str, boot_module: str, pass_fds: tuple[int, ...] = ()) -> _spawn.Boxes:
    """Boxes of one role, as many ready as there are cores."""
    plan = _process.HostPlan(role, boot_module, "single", bwrap)

    def start(control: socket.socket) -> subprocess.Popen[bytes]:
        return _process.spawn(plan, control, subprocess.DEVNULL, pass_fds)

    return _spawn.Boxes(start, len(os.sched_getaffinity(0)) + 1)


def main(config: dict[str, Any]) -> None:
    """Keep boxes for solutions."""
    control: int = config["control"]
    try:
        boxes = spawner("solution", config["bwrap"], "deepgym_solution._child.boot")
        host = _host.SolutionHost(control, config["caller"], boxes)
    except OSError as exc:
        boot.tell_failure(control, exc)
        return
    boot.tell_ready(control)
    host.serve()
