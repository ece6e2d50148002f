"""Whether a finished structure says what the reference says.

Structure is judged by ``structure_closure``; here its content is compared: decoded values for JSON and
tool calls, text for reasoning blocks and code fences.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, cast

from verifyit._spec_types import ClosureFormat
from verifyit.json_comparison import JsonValue, NumericTypePolicy, json_values_equal
from verifyit.json_objects import decode_unique
from verifyit.structure_closure import (
    ClosureState,
    PrefixStatus,
    delimited_json_closure_state,
    json_closure_state,
    paired_marker_closure_state,
    required_code_fence_state,
)

__all__ = [
    "CLOSURE_REGION_SCORER",
    "REASONING_CLOSER",
    "REASONING_OPENER",
    "TOOL_CLOSER",
    "TOOL_OPENER",
    "ClosureFormat",
    "ClosureRegionScore",
    "ClosureScore",
    "ContinuationOutcome",
    "closure_response_content",
    "closure_state",
    "continuation_outcome",
    "score_closure",
    "score_closure_region",
]

# The name under which results of score_closure_region() are recorded.
CLOSURE_REGION_SCORER: Final = "closure_region_v1"

TOOL_OPENER: Final = "<tool_call>"
TOOL_CLOSER: Final = "</tool_call>"
REASONING_OPENER: Final = "<|start_think|>"
REASONING_CLOSER: Final = "<|end_think|>"


class ContinuationOutcome(StrEnum):
    """What became of a reference that was to be continued."""

    REFERENCE_COMPLETED = "reference_completed"
    REFERENCE_PREFIX_CLOSED_EARLY = "reference_prefix_closed_early"
    OTHER_CONTENT_CHANGE = "other_content_change"
    UNCLOSED_OR_INVALID = "unclosed_or_invalid"


@dataclass(frozen=True)
class ClosureScore:
    """Whether a text is one finished structure, with the reference's content, and both."""

    syntax_complete: bool
    content_preserved: bool
    success: bool


@dataclass(frozen=True)
class ClosureRegionScore:
    """The score of a text up to the end of its structure, and what follows that end.

    Attributes:
        syntax_complete: The structure is finished somewhere in the text.
        content_preserved: It holds the reference's content.
        success: Both.
        trailing_content: Something other than whitespace follows it.
        whole_response_success: Success, and nothing follows.
    """

    syntax_complete: bool
    content_preserved: bool
    success: bool
    trailing_content: bool
    whole_response_success: bool


def closure_state(text: str, structure_format: ClosureFormat) -> ClosureState:
    """Where a text stands in a structure of the given format."""
    if structure_format is ClosureFormat.JSON:
        return json_closure_state(text)
    if structure_format is ClosureFormat.TOOL:
        return delimited_json_closure_state(text, opener=TOOL_OPENER, closer=TOOL_CLOSER)
    if structure_format is ClosureFormat.REASONING:
        return paired_marker_closure_state(text, opener=REASONING_OPENER, closer=REASONING_CLOSER)
    return required_code_fence_state(text)


def score_closure(text: str, expected: str, structure_format: ClosureFormat) -> ClosureScore:
    """Score a text that should be one finished structure and nothing else.

    Raises:
        ValueError: The reference is not one finished structure, or holds a number that is no finite
            float.
    """
    reference = _content(expected, structure_format)
    if closure_state(text, structure_format).status is not PrefixStatus.COMPLETE:
        return ClosureScore(syntax_complete=False, content_preserved=False, success=False)
    try:
        content = _content(text, structure_format)
    except ValueError:
        # Complete, and yet without a value: a number beyond the range of floats.
        return ClosureScore(syntax_complete=True, content_preserved=False, success=False)
    same = json_values_equal(reference, content, numeric_types=NumericTypePolicy.STRICT)
    return ClosureScore(syntax_complete=True, content_preserved=same, success=same)


def score_closure_region(text: str, expected: str, structure_format: ClosureFormat) -> ClosureRegionScore:
    """Score a text up to the end of its structure, and report whether anything follows.

    Raises:
        ValueError: As for score_closure().
    """
    end = closure_state(text, structure_format).completion_offset
    region = text if end is None else text[:end]
    score = score_closure(region, expected, structure_format)
    trailing = end is not None and bool(text[end:].strip())
    return ClosureRegionScore(
        score.syntax_complete,
        score.content_preserved,
        score.success,
        trailing_content=trailing,
        whole_response_success=score.success and not trailing,
    )


def continuation_outcome(text: str, expected: str, structure_format: ClosureFormat) -> ContinuationOutcome:
    """What a text did with the reference: finished it, closed a part of it, changed it, or broke off.

    Raises:
        ValueError: As for score_closure().
    """
    score = score_closure_region(text, expected, structure_format)
    if not score.syntax_complete:
        return ContinuationOutcome.UNCLOSED_OR_INVALID
    if score.success:
        return ContinuationOutcome.REFERENCE_COMPLETED
    region = text[: closure_state(text, structure_format).completion_offset]
    shared = region[: _shared_length(region, expected)]
    suffix = closure_state(shared, structure_format).closing_suffix
    if suffix is not None and shared + suffix == region:
        return ContinuationOutcome.REFERENCE_PREFIX_CLOSED_EARLY
    return ContinuationOutcome.OTHER_CONTENT_CHANGE


def closure_response_content(text: str, *, stop_reason: str, terminal_markers: tuple[str, ...]) -> str:
    """A response without the marker that ended its generation.

    Args:
        text: The response.
        stop_reason: Why generation ended; only ``stop`` leaves a marker.
        terminal_markers: Markers that may end a response. Those that are empty, that close a structure,
            or that are code fences are part of the content and stay.
    """
    if stop_reason != "stop":
        return text
    found = [marker for marker in terminal_markers if _is_terminal(marker) and text.endswith(marker)]
    return text[: -len(max(found, key=len))] if found else text


def _is_terminal(marker: str) -> bool:
    bare = marker.strip()
    fence = len(bare) >= 3 and bare[0] in "`~" and not bare.strip(bare[0])
    return bool(marker) and bare not in (TOOL_CLOSER, REASONING_CLOSER) and not fence


def _shared_length(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(left), len(right)))


def _content(text: str, structure_format: ClosureFormat) -> JsonValue:
    """What a finished structure says.

    Raises:
        ValueError: The text is not one finished structure, or holds a number that is no finite float.
    """
    state = closure_state(text, structure_format)
    if state.status is not PrefixStatus.COMPLETE:
        raise ValueError(
            f"not one finished {structure_format.value} structure: {state.reason or 'it is cut off'}"
        )
    if structure_format is ClosureFormat.JSON:
        return cast("JsonValue", decode_unique(text, finite=True))
    if structure_format is ClosureFormat.TOOL:
        inner = text[len(TOOL_OPENER) : cast("int", state.completion_offset) - len(TOOL_CLOSER)]
        return cast("JsonValue", decode_unique(inner, finite=True))
    return text.rstrip()
