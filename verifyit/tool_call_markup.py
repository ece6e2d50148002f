"""Tool calls written as marked-up JSON inside a response."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NoReturn

from verifyit.closure_scoring import REASONING_CLOSER, REASONING_OPENER, TOOL_CLOSER, TOOL_OPENER
from verifyit.json_objects import unique_object

_THINKING_OPENERS: Final = (REASONING_OPENER, "<think>")
_THINKING_CLOSERS: Final = (REASONING_CLOSER, "</think>")
_MARKERS: Final = re.compile("|".join(map(re.escape, (TOOL_OPENER, *_THINKING_OPENERS, *_THINKING_CLOSERS))))
_SPACE: Final = re.compile(r"[ \t\n\r]*")


class ToolCallStatus(StrEnum):
    """What is wrong with a tool call, if anything."""

    VALID = "valid"
    REPEATED_OPENER = "repeated_opener"
    MALFORMED_JSON = "malformed_json"
    INVALID_ENVELOPE = "invalid_envelope"
    MISSING_CLOSER = "missing_closer"


@dataclass(frozen=True)
class ToolCallRegion:
    """One tool call: where its opener starts, where its payload starts, where it ends, and its status."""

    start: int
    payload_start: int
    end: int
    status: ToolCallStatus


def tool_call_regions(text: str, *, initial_thinking: bool) -> tuple[ToolCallRegion, ...]:
    """The tool calls of a response, in order, up to and including the first malformed one.

    Openers inside thinking are text, and so are markers inside a call's JSON strings.

    Args:
        text: The response.
        initial_thinking: The response starts inside thinking that the prompt opened.
    """
    regions: list[ToolCallRegion] = []
    thinking = initial_thinking
    offset = 0
    while (marker := _MARKERS.search(text, offset)) is not None:
        offset = marker.end()
        if marker.group() in _THINKING_OPENERS:
            thinking = True
        elif marker.group() in _THINKING_CLOSERS:
            thinking = False
        elif not thinking:
            offset, status = _read_call(text, marker.end())
            regions.append(ToolCallRegion(marker.start(), marker.end(), offset, status))
            if status is not ToolCallStatus.VALID:
                break
    return tuple(regions)


def classify_tool_call_continuation(text: str) -> ToolCallStatus:
    """The status of the one call that a text continues, its opener having been in the prompt."""
    return _read_call(text, 0)[1]


def _read_call(text: str, start: int) -> tuple[int, ToolCallStatus]:
    """Where the call whose payload starts at ``start`` ends, and its status."""
    offset = _skip_space(text, start)
    if text.startswith(TOOL_OPENER, offset):
        return offset + len(TOOL_OPENER), ToolCallStatus.REPEATED_OPENER
    try:
        payload, end = _DECODER.raw_decode(text, offset)
    except (ValueError, RecursionError):
        return len(text), ToolCallStatus.MALFORMED_JSON
    offset = _skip_space(text, end)
    closed = text.startswith(TOOL_CLOSER, offset)
    if closed:
        end = offset + len(TOOL_CLOSER)
    if not _is_envelope(payload):
        return end, ToolCallStatus.INVALID_ENVELOPE
    return end, ToolCallStatus.VALID if closed else ToolCallStatus.MISSING_CLOSER


def _skip_space(text: str, offset: int) -> int:
    space = _SPACE.match(text, offset)
    assert space is not None
    return space.end()


def _is_envelope(payload: object) -> bool:
    return (
        isinstance(payload, dict)
        and isinstance(payload.get("name"), str)
        and payload["name"] != ""
        and isinstance(payload.get("arguments"), dict)
    )


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number beyond the range of floats")
    return value


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=unique_object, parse_constant=_refuse_constant, parse_float=_finite_float
)
