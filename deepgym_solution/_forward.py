"""Carries one port of the judge's loopback into a sealed process that has no network.

The box listens on its own 127.0.0.1 and hands the listening socket out before its first line; a thread of the judge
accepts there and connects to the judge's port. Nothing else of any network can be reached through it.
"""

from __future__ import annotations

import os
import selectors
import socket
import threading
from typing import Self

from deepgym_solution._launch import Sealed

# A solution that opens more connections than this at a time waits.
_MAX_CONNECTIONS = 64
_PIECE_BYTES = 1 << 16
_CONNECT_TIMEOUT_S = 5.0


class Forwarder:
    """Forwards while it is entered; does nothing without a port."""

    def __init__(self, sealed: Sealed, port: int | None) -> None:
        self._port = port
        self._stop_here, self._stop_there = -1, -1
        self._thread: threading.Thread | None = None
        if port is not None:
            sealed.on_listener = self._begin

    def _begin(self, listener: socket.socket) -> None:
        self._stop_here, self._stop_there = os.pipe2(os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._serve, args=(listener,), name="loopback", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop forwarding and close every connection."""
        if self._thread is not None:
            os.close(self._stop_there)
            self._thread.join()
            os.close(self._stop_here)
            self._thread = None

    def _serve(self, listener: socket.socket) -> None:
        peers: dict[socket.socket, socket.socket] = {}
        with selectors.DefaultSelector() as selector, listener:
            selector.register(self._stop_here, selectors.EVENT_READ)
            selector.register(listener, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fileobj == self._stop_here:
                        for sock in peers:
                            sock.close()
                        return
                    if key.fileobj is listener:
                        self._accept(listener, selector, peers)
                    elif isinstance(key.fileobj, socket.socket) and key.fileobj in peers:
                        _pump(key.fileobj, selector, peers)

    def _accept(
        self,
        listener: socket.socket,
        selector: selectors.BaseSelector,
        peers: dict[socket.socket, socket.socket],
    ) -> None:
        inner, _ = listener.accept()
        if len(peers) >= 2 * _MAX_CONNECTIONS:
            inner.close()
            return
        try:
            outer = socket.create_connection(("127.0.0.1", self._port or 0), timeout=_CONNECT_TIMEOUT_S)
        except OSError:
            inner.close()
            return
        for here, there in ((inner, outer), (outer, inner)):
            here.settimeout(_CONNECT_TIMEOUT_S)
            peers[here] = there
            selector.register(here, selectors.EVENT_READ)


def _pump(
    source: socket.socket, selector: selectors.BaseSelector, peers: dict[socket.socket, socket.socket]
) -> None:
    target = peers[source]
    try:
        data = source.recv(_PIECE_BYTES)
        if data:
            target.sendall(data)
            return
        selector.unregister(source)  # half closed: the other direction may go on
        target.shutdown(socket.SHUT_WR)
        if target not in selector.get_map():
            raise ConnectionError
    except OSError:
        for sock in (source, target):
            if sock in selector.get_map():
                selector.unregister(sock)
            peers.pop(sock, None)
            sock.close()
