"""Frames: whole ones out of pieces, in linear time, and nothing that is over the limit."""

import struct
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepgym_solution._child.wire import (
    MAX_FRAME_BYTES,
    EncodeError,
    Frame,
    FrameReader,
    WireError,
    encode_frame,
)

FRAMES = st.lists(
    st.builds(Frame, st.integers(0, 255), st.integers(0, 2**32 - 1), st.binary(max_size=40)), max_size=6
)


def drain(reader):
    frames = []
    while (frame := reader.next_frame()) is not None:
        frames.append(frame)
    return frames


@given(FRAMES, st.data())
def test_frames_come_back_however_the_stream_is_cut(frames, data):
    stream = b"".join(encode_frame(*frame) for frame in frames)
    reader, seen = FrameReader(), []
    while stream:
        cut = data.draw(st.integers(1, len(stream)))
        reader.feed(stream[:cut])
        stream = stream[cut:]
        seen += drain(reader)
    reader.eof()
    assert seen == frames
    assert all(type(frame.payload) is bytes for frame in seen)


@given(st.lists(st.binary(max_size=30), max_size=6))
def test_random_bytes_give_frames_or_more_or_the_one_error(pieces):
    reader = FrameReader(max_frame_bytes=20)
    try:
        for piece in pieces:
            reader.feed(piece)
            drain(reader)
        reader.eof()
    except WireError:
        with pytest.raises(WireError):
            reader.next_frame()


def test_a_length_over_the_limit_is_refused_before_its_body_arrives():
    reader = FrameReader(max_frame_bytes=100)
    reader.feed(struct.pack("<IBI", 101, 0, 0))
    with pytest.raises(WireError, match="101 bytes is larger than the limit of 100"):
        reader.next_frame()


def test_a_frame_of_exactly_the_limit_passes():
    reader = FrameReader(max_frame_bytes=100)
    reader.feed(encode_frame(1, 2, b"x" * 100))
    assert reader.next_frame() == Frame(1, 2, b"x" * 100)


def test_after_a_failure_every_call_gives_the_same_error():
    reader = FrameReader(max_frame_bytes=1)
    reader.feed(encode_frame(0, 0, b"xx"))
    with pytest.raises(WireError) as first:
        reader.next_frame()
    for again in (reader.next_frame, reader.eof, lambda: reader.feed(b"x")):
        with pytest.raises(WireError) as caught:
            again()
        assert str(caught.value) == str(first.value)


@pytest.mark.parametrize("missing", [1, 5, 12])
def test_a_stream_that_ends_within_a_frame_is_an_error(missing):
    reader = FrameReader()
    reader.feed(encode_frame(0, 0, b"abcd")[:-missing])
    assert reader.next_frame() is None
    with pytest.raises(WireError, match="ended within a frame"):
        reader.eof()


def test_a_payload_over_the_limit_is_not_encoded():
    with pytest.raises(EncodeError, match="too large for a frame"):
        encode_frame(0, 0, bytes(MAX_FRAME_BYTES + 1))


def test_the_cost_is_linear_in_the_bytes():
    small = encode_frame(1, 2, b"x")
    reader, started = FrameReader(), time.process_time()
    reader.feed(small * 200_000)  # two megabytes of waiting frames: quadratic moving would take minutes
    assert len(drain(reader)) == 200_000
    big = encode_frame(1, 2, bytes(8_000_000))
    for start in range(0, len(big), 4_000):
        assert reader.next_frame() is None
        reader.feed(big[start : start + 4_000])
    assert len(reader.next_frame().payload) == 8_000_000
    assert time.process_time() - started < 5
