"""The attached streams of a program that `docker exec` started, read with our own clock and limits.

The SDK's own reading has no limit on bytes and none on time. The engine multiplexes both output
streams: a header of eight bytes (stream, length), then as many bytes.
"""

import contextlib
import struct
from typing import Any

from deepgym.backends._deadline import Deadline
from deepgym.backends._vendor import Capture
from deepgym.errors import SandboxInfraError

_HEADER = struct.Struct(">BxxxL")
_STDERR = 2
_PIECE_BYTES = 65536


class Attached:
    """The connection that carries one program's streams."""

    def __init__(self, attached: Any, deadline: Deadline) -> None:
        # The response's buffered reader, not the bare socket: it may hold the first bytes already.
        response = getattr(attached, "_response", None)
        self._reader: Any = response.raw._fp.fp if response is not None else attached  # noqa: SLF001  # no public way
        self._socket: Any = getattr(attached, "_sock", attached)
        self._keep = attached
        self._deadline = deadline

    def converse(self, stdin: bytes, deadline: Deadline, limit_bytes: int) -> tuple[Capture, Capture]:
        """Send the input; read both streams to their end, keeping so many bytes of each.

        Raises:
            SandboxInfraError: The deadline passed, or the connection broke.
        """
        self._deadline = deadline
        stdout, stderr = Capture(limit_bytes), Capture(limit_bytes)
        try:
            if stdin:
                self._arm()
                # A program may end without reading all of it; how it ended is told by the engine.
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    self._socket.sendall(stdin)
            while (head := self._read(_HEADER.size)) is not None:
                stream, length = _HEADER.unpack(head)
                kept = stderr if stream == _STDERR else stdout
                while length:
                    piece = self._read(min(length, _PIECE_BYTES))
                    if piece is None:
                        raise SandboxInfraError("lost", "the output was cut in the middle", retryable=True)
                    kept.add(piece)
                    length -= len(piece)
        except TimeoutError as error:
            raise SandboxInfraError("timeout", "a command did not end in time", retryable=True) from error
        except OSError as error:
            raise SandboxInfraError("lost", f"the connection broke: {error}", retryable=True) from error
        finally:
            self.close()
        return stdout, stderr

    def _arm(self) -> None:
        """Let the next operation take what is left of the time.

        Raises:
            TimeoutError: Nothing is left.
        """
        left = self._deadline.remaining_s()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)

    def _read(self, count: int) -> bytes | None:
        """Exactly so many bytes; None when the stream ends before the first of them.

        Raises:
            SandboxInfraError: It ends in the middle.
            TimeoutError: The deadline passed.
        """
        data = b""
        while len(data) < count:
            self._arm()
            piece = self._reader.read1(count - len(data))
            if not piece:
                if data:
                    raise SandboxInfraError("lost", "the output was cut in the middle", retryable=True)
                return None
            data += piece
        return data

    def close(self) -> None:
        """Let go of the connection; what runs is not ended by that."""
        with contextlib.suppress(OSError):
            self._socket.close()
        response = getattr(self._keep, "_response", None)
        if response is not None:
            with contextlib.suppress(Exception):
                response.close()
