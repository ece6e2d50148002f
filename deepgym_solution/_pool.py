"""The keeper of pre-started boxes: a host for machines that refuse namespaces inside a box (AppArmor, some containers).

It runs outside any box and runs nothing of a solution: it starts boxes ahead, hands each one request, and ends it when
its lifeline says so. What a request can use is the same; only the start of a box is dearer.
"""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from deepgym_solution import _host, _process, _spawn
from deepgym_solution._child import boot, entry, seal
from deepgym_solution._isolation.policy import Policy
from deepgym_solution._isolation.view import View


def spawner(
    role: str,
    config: dict[str, Any],
    boot_module: str,
    policy_of: Callable[[bytes], Policy],
    pass_fds: tuple[int, ...] = (),
) -> _spawn.Boxes:
    """Boxes of one role, one more ready than there are cores.

    Args:
        role: "solution" or "judge".
        config: What the keeper's own host was told.
        boot_module: What runs in a box.
        policy_of: The limits in a request.
        pass_fds: Further descriptors that a box inherits.
    """
    shown = View(*map(tuple, config["box_view"]))
    plan = _process.HostPlan(role, boot_module, "single", config["bwrap"], shown=shown)
    users = itertools.cycle(range(*(seal.SOLUTION_UIDS if role == "solution" else seal.JUDGE_UIDS)))

    def start(control: socket.socket, tmp_bytes: int) -> subprocess.Popen[bytes]:
        # A user of its own: the kernel counts the processes of one user together, whichever box they are in.
        user = next(users)
        own = replace(plan, ids=(user, user), tmp_bytes=tmp_bytes)
        return _process.spawn(own, control, subprocess.DEVNULL, pass_fds)

    def tmp_bytes_of(request: _spawn.Request) -> int:
        return policy_of(request.message).tmp_bytes

    return _spawn.Boxes(start, tmp_bytes_of, len(os.sched_getaffinity(0)) + 1)


def main(config: dict[str, Any]) -> None:
    """Keep boxes for solutions."""
    control: int = config["control"]
    try:
        boxes = spawner("solution", config, "deepgym_solution._child.boot", entry.policy_of)
        host = _host.SolutionHost(control, config["caller"], boxes)
    except OSError as exc:
        boot.tell_failure(control, exc)
        return
    boot.tell_ready(control)
    host.serve()
