"""Attempts to reach anything outside: the caller's own listeners on its loopback, and sockets of every other kind."""

from __future__ import annotations

import socket
from typing import Any

_WAIT_S = 2.0


def connect(bait: dict[str, Any], listener: str) -> str:
    """Reach a listener of the caller's; it notes the tag that is sent."""
    family, kind, address = _listener(bait, listener)
    with socket.socket(family, kind) as sock:
        sock.settimeout(_WAIT_S)
        sock.connect(address)
        sock.send(bait["tag"].encode() + b"\n")
    return f"sent to {listener}"


def make_socket(_bait: dict[str, Any], family: int, kind: int, protocol: int) -> str:
    with socket.socket(family, kind, protocol):
        return f"a socket of family {family}"


def make_pair(_bait: dict[str, Any]) -> str:
    one, other = socket.socketpair(socket.AF_INET, socket.SOCK_STREAM)
    one.close()
    other.close()
    return "a pair of inet sockets"


def _listener(bait: dict[str, Any], name: str) -> tuple[int, int, Any]:
    address = bait["listeners"][name]
    if name == "abstract":
        return socket.AF_UNIX, socket.SOCK_STREAM, "\0" + address
    if name == "unix":
        return socket.AF_UNIX, socket.SOCK_STREAM, address
    family = socket.AF_INET6 if name == "tcp6" else socket.AF_INET
    return family, socket.SOCK_DGRAM if name == "udp" else socket.SOCK_STREAM, tuple(address)
