"""From a cloned child to a solution: the order of the sealing steps, and whom to tell when one fails."""

from __future__ import annotations

import gc
import os
import socket

from deepgym_solution._child import kernel, kinds, program, runtime, seal, wire
from deepgym_solution._isolation.policy import Policy


def become_solution(
    kind: str, policy: Policy, seed: int, fds: list[int], *, outer_ids: tuple[int, int] | None
) -> None:
    """Turn this process into the solution of one request; never returns.

    Args:
        kind: "load" for a module that is called, "run" for a program.
        policy: What it may use.
        seed: What its `random` starts from.
        fds: channel, lifeline, stdout, stderr and, for a program, stdin.
        outer_ids: User and group outside, when the process has namespaces of its own.
    """
    channel, _, stdout, stderr, *rest = fds
    try:
        os.setsid()
        kernel.die_with_parent()
        if outer_ids is not None:
            seal.enter_namespaces(policy, *outer_ids)
            if policy.loopback_port is not None:
                _send_listener(fds[1], policy.loopback_port)
        stdin = rest[0] if rest else os.open("/dev/null", os.O_RDONLY)
        kernel.place((stdin, stdout, stderr, channel), inherited=seal.CHANNEL_FD)
        os.umask(0o077)
        gc.enable()
        if kind == "load":
            seal.limit(policy)
            seal.give_up_privileges(inet=policy.loopback_port is not None, execute=policy.allow_subprocess)
    except OSError as exc:
        _tell(channel, f"{exc}")
        os._exit(121)
    if kind == "load":
        runtime.serve(seal.CHANNEL_FD, policy, seed)
    else:
        program.keep(seal.CHANNEL_FD, policy, seed)
    os._exit(0)


def _send_listener(lifeline: int, port: int) -> None:
    with seal.open_port(port) as listener, socket.socket(fileno=os.dup(lifeline)) as there:
        socket.send_fds(there, [b"l"], [listener.fileno()])


def _tell(channel: int, text: str) -> None:
    frame = wire.encode_frame(kinds.LAUNCH_FAILED, 0, wire.encode_value(text[:500]))
    for fd in (channel, seal.CHANNEL_FD):
        try:
            os.write(fd, frame)
        except OSError:
            continue
        return
