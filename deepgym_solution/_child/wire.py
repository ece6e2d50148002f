"""The codec between judge and solution: plain values to bytes and back, and the frames that carry them.

Both sides import this module, so it and what it is made of (wire_format.py, plain.py, encoder.py, decoder.py)
need nothing but the standard library. Nothing here does I/O or keeps anything between calls, and nothing
pickles, unmarshals or evaluates.
"""

import struct
from typing import NamedTuple

from deepgym_solution._child.decoder import decode_value
from deepgym_solution._child.encoder import encode_value
from deepgym_solution._child.plain import EncodeError
from deepgym_solution._child.wire_format import MAX_DEPTH, MAX_DIGITS, MAX_FRAME_BYTES, MAX_NODES, WireError

__all__ = [
    "MAX_DEPTH",
    "MAX_DIGITS",
    "MAX_FRAME_BYTES",
    "MAX_NODES",
    "EncodeError",
    "Frame",
    "FrameReader",
    "WireError",
    "decode_value",
    "encode_frame",
    "encode_value",
]


_HEADER = struct.Struct("<IBI")


class Frame(NamedTuple):
    """One message: what kind it is, which call it belongs to, and its payload."""

    kind: int
    call_id: int
    payload: bytes


def encode_frame(kind: int, call_id: int, payload: bytes) -> bytes:
    """The frame as bytes for FrameReader: 4 bytes of payload length, 1 of kind, 4 of call id, the payload.

    Raises:
        EncodeError: The payload is larger than MAX_FRAME_BYTES.
    """
    if len(payload) > MAX_FRAME_BYTES:
        raise EncodeError(
            f"the payload is too large for a frame: {len(payload):,} bytes, the limit is {MAX_FRAME_BYTES:,}",
            type_name="bytes",
        )
    return _HEADER.pack(len(payload), kind, call_id) + payload


class FrameReader:
    """Takes frames out of a stream of bytes that arrives in pieces.

    Take every frame before feeding more: then no more is held than one frame and the last piece. After
    a WireError the stream cannot be trusted again, and every further call raises the same error.
    """

    def __init__(self, *, max_frame_bytes: int = MAX_FRAME_BYTES) -> None:
        self._max_frame_bytes = max_frame_bytes
        # Bytes leave a bytearray at the front without moving the rest, so all of this is linear.
        self._buffer = bytearray()
        self._failure: str | None = None

    def feed(self, data: bytes) -> None:
        """Add bytes that arrived.

        Raises:
            WireError: The stream has failed before.
        """
        self._check()
        self._buffer += data

    def next_frame(self) -> Frame | None:
        """The next whole frame, or None when more bytes are needed.

        Raises:
            WireError: The frame's length is over the limit (its body need not have arrived), or the
                stream has failed before.
        """
        self._check()
        buffer = self._buffer
        if len(buffer) < _HEADER.size:
            return None
        length, kind, call_id = _HEADER.unpack_from(buffer)
        if length > self._max_frame_bytes:
            self._fail(f"a frame of {length:,} bytes is larger than the limit of {self._max_frame_bytes:,}")
        end = _HEADER.size + length
        if len(buffer) < end:
            return None
        with memoryview(buffer) as view:
            payload = bytes(view[_HEADER.size : end])
        del buffer[:end]
        return Frame(kind, call_id, payload)

    def eof(self) -> None:
        """Say that the stream has ended; call it when next_frame() has returned None.

        Raises:
            WireError: It ended within a frame, or has failed before.
        """
        self._check()
        if self._buffer:
            self._fail(f"the stream ended within a frame, {len(self._buffer):,} bytes after its beginning")

    def _check(self) -> None:
        if self._failure is not None:
            raise WireError(self._failure)

    def _fail(self, message: str) -> None:
        self._failure = message
        self._buffer.clear()
        raise WireError(message)
