"""Tool calls found in responses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.tool_call_markup import (
    ToolCallRegion,
    ToolCallStatus,
    classify_tool_call_continuation,
    tool_call_regions,
)

CALL = '{"name": "f", "arguments": {}}'
PIECES = ["<tool_call>", "</tool_call>", "<|start_think|>", "<|end_think|>", CALL, "{", "x", '"']


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (f"{CALL}</tool_call>", "valid"),
        (f"\n{CALL}\n</tool_call>x", "valid"),
        ("<tool_call>", "repeated_opener"),
        ("", "malformed_json"),
        ("{", "malformed_json"),
        ('{"name": "f", "name": "f", "arguments": {}}</tool_call>', "malformed_json"),
        ('{"name": "f", "arguments": {"x": NaN}}</tool_call>', "malformed_json"),
        ('{"name": "f", "arguments": {"x": 1e999}}</tool_call>', "malformed_json"),
        ("[" * 100_000, "malformed_json"),
        ("[]</tool_call>", "invalid_envelope"),
        ('{"name": "", "arguments": {}}</tool_call>', "invalid_envelope"),
        ('{"name": "f", "arguments": []}', "invalid_envelope"),
        ('{"name": 1, "arguments": {}}</tool_call>', "invalid_envelope"),
        (CALL, "missing_closer"),
        (f"{CALL} x</tool_call>", "missing_closer"),
        ('{"name": "</tool_call>", "arguments": {"x": 1.5}}</tool_call>', "valid"),
    ],
)
def test_the_status_of_one_call(text, status):
    assert classify_tool_call_continuation(text) is ToolCallStatus(status)


def test_calls_are_found_in_order_with_their_offsets():
    one = f"<tool_call>{CALL}</tool_call>"
    text = f"a{one}b{one}"
    regions = tool_call_regions(text, initial_thinking=False)
    assert [text[region.start : region.end] for region in regions] == [one, one]
    assert regions[0].payload_start == 1 + len("<tool_call>")


def test_nothing_is_looked_for_after_a_malformed_call():
    text = f"<tool_call>{{</tool_call><tool_call>{CALL}</tool_call>"
    assert tool_call_regions(text, initial_thinking=False) == (
        ToolCallRegion(0, 11, len(text), ToolCallStatus.MALFORMED_JSON),
    )


def test_openers_inside_thinking_are_text():
    one = f"<tool_call>{CALL}</tool_call>"
    assert tool_call_regions(f"<|start_think|>{one}<|end_think|>", initial_thinking=False) == ()
    assert tool_call_regions(one, initial_thinking=True) == ()
    assert len(tool_call_regions(f"{one}</think>{one}", initial_thinking=True)) == 1


@given(st.text() | st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.booleans())
def test_any_text_can_be_scanned(text, thinking):
    for region in tool_call_regions(text, initial_thinking=thinking):
        assert 0 <= region.start < region.payload_start <= region.end <= len(text)
