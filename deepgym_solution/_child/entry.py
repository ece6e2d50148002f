"""From a cloned child to a solution: the order of the sealing steps, and whom to tell when one fails."""

from __future__ import annotations

import gc
import os
import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from deepgym_solution._child import kernel, kinds, program, runtime, seal, wire
from deepgym_solution._isolation.policy import Policy, parse_policy

if TYPE_CHECKING:
    from deepgym_solution._spawn import Request


def check_request(message: bytes, fds: Sequence[int]) -> None:
    """Refuse a request that is not (kind, policy, seed) with its 4 or 5 descriptors.

    Raises:
        ValueError: It is not.
        wire.WireError: It is no value at all.
    """
    kind, _, seed = _fields(message)
    if kind not in ("load", "run") or type(seed) is not int:
        raise ValueError("a request's kind is load or run, its seed an int")
    if len(fds) != (4 if kind == "load" else 5):
        raise ValueError(
            f"a request to {kind} carries {4 if kind == 'load' else 5} descriptors, not {len(fds)}"
        )


def policy_of(message: bytes) -> Policy:
    """The limits in a request.

    Raises:
        ValueError: They are none.
    """
    return parse_policy(_fields(message)[1])


def _fields(message: bytes) -> tuple[Any, ...]:
    request = wire.decode_value(message)
    if type(request) is not tuple or len(request) != 3:
        raise ValueError("a request is (kind, policy, seed)")
    return request


def become_solution(request: Request, place: seal.Place) -> None:
    """Turn this process into the solution of one request; never returns.

    Args:
        request: (kind, policy, seed) with the descriptors channel, lifeline, stdout, stderr and, to run, stdin.
        place: Where the process is.
    """
    kind, values, seed = _fields(request.message)
    policy = parse_policy(values)
    channel, lifeline, stdout, stderr, *rest = request.fds
    try:
        if place.kind != "single":  # there bubblewrap has done both
            os.setsid()
            kernel.die_with_parent()
        has_network = place.kind not in ("user", "plain")
        if place.kind == "user":
            has_network = policy.loopback_port is not None and seal.close_network()
        if place.kind == "nested":
            seal.enter_namespaces(policy, *place.outer_ids)
        if policy.loopback_port is not None:
            _send_listener(lifeline, policy.loopback_port, has_network=has_network)
        if place.kind == "user":
            seal.become_user(*place.outer_ids)
        stdin = rest[0] if rest else os.open("/dev/null", os.O_RDONLY)
        kernel.place((stdin, stdout, stderr, channel), inherited=seal.CHANNEL_FD)
        os.umask(0o077)
        gc.enable()
        if kind == "load":
            seal.limit(policy)
            seal.give_up_privileges(inet=policy.loopback_port is not None, execute=policy.allow_subprocess)
    except OSError as exc:
        _tell(channel, f"{exc}")
        os._exit(seal.NOT_SEALED)
    if kind == "load":
        runtime.serve(seal.CHANNEL_FD, place, seed)
    else:
        program.keep(seal.CHANNEL_FD, place, policy, seed)
    os._exit(0)


def _send_listener(lifeline: int, port: int, *, has_network: bool) -> None:
    if not has_network:  # it shares the judge's
        os.write(lifeline, wire.encode_value(("no-listener",)))
        return
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
