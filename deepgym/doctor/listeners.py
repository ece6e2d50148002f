"""The caller's services that no solution may reach: one thread that notes what is sent to them."""

from __future__ import annotations

import selectors
import socket
import threading
from typing import Any

__all__ = ["Listeners"]

_MAX_MESSAGE_BYTES = 200


class Listeners:
    """Listeners of every kind on this machine's loopback and file system.

    Attributes:
        addresses: Where they are, by name.
        heard: The words that were sent to them.
    """

    def __init__(self) -> None:
        self.addresses: dict[str, Any] = {}
        self.heard: set[str] = set()
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, daemon=True, name="deepgym-doctor")

    def open(self, folder: str, name: str) -> dict[str, str]:
        """Start to listen.

        Args:
            folder: Where the socket file goes.
            name: The abstract socket's.

        Returns:
            Which of them this machine does not have, and why.
        """
        missing = {}
        kinds = {
            "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "tcp6": (socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
            "unix": (socket.AF_UNIX, socket.SOCK_STREAM, f"{folder}/socket"),
            "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, "\0" + name),
        }
        for kind, (family, transport, address) in kinds.items():
            try:
                self.addresses[kind] = self._listen(family, transport, address)
            except OSError as exc:
                missing[kind] = f"this machine has no such listener: {exc}"
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread.start()
        return missing

    def close(self) -> None:
        """Stop listening."""
        self._wake.send(b"x")
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
        self._selector.close()
        self._wake.close()

    def _listen(self, family: int, transport: int, address: Any) -> Any:
        sock = socket.socket(family, transport)
        try:
            sock.bind(address)
            if transport == socket.SOCK_STREAM:
                sock.listen(16)
        except OSError:
            sock.close()
            raise
        self._selector.register(
            sock, selectors.EVENT_READ, "accept" if transport == socket.SOCK_STREAM else "read"
        )
        if family == socket.AF_UNIX:
            return address.removeprefix("\0")
        return list(sock.getsockname()[:2])

    def _serve(self) -> None:
        while True:
            for key, _ in self._selector.select():
                sock = key.fileobj
                assert isinstance(sock, socket.socket)
                if sock is self._woken:
                    return
                if key.data == "accept":
                    peer, _ = sock.accept()
                    self._selector.register(peer, selectors.EVENT_READ, "peer")
                    continue
                self._read(sock, is_peer=key.data == "peer")

    def _read(self, sock: socket.socket, *, is_peer: bool) -> None:
        try:
            text = sock.recv(_MAX_MESSAGE_BYTES)
        except OSError:
            text = b""
        self.heard.update(text.decode("ascii", "replace").split())
        if is_peer:
            self._selector.unregister(sock)
            sock.close()
