"""What the executing modes share, and the comparison of captured shell output."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.modes.grade_nl2bash import score_capture
from verifyit.modes.run import check_ids, split_command, workdir
from verifyit.reward import InvalidTask
from verifyit.spec import GotestSpec, StdioSpec


@pytest.mark.parametrize(
    ("outcomes", "must_pass", "must_not_break", "reward", "counts"),
    [
        ({"a": True, "b": False}, ["a"], [], 1.0, (1, 1, None)),
        ({"a": True, "b": False}, ["a"], ["b"], 0.0, (1, 2, "b")),
        ({"a": True}, ["a", "a"], ["a"], 1.0, (1, 1, None)),
        ({"a": True}, ["c"], [], 0.0, (0, 1, "c")),
        ({"a": True, "b": True}, [], [], 1.0, (2, 2, None)),
        ({"a": True, "b": False}, [], [], 0.0, (1, 2, "b")),
        ({}, [], [], 0.0, (0, 0, None)),
    ],
)
def test_required_tests_all_have_to_pass(outcomes, must_pass, must_not_break, reward, counts):
    verdict = check_ids(outcomes, must_pass, must_not_break, exit_code=0)
    assert verdict.reward == reward
    assert tuple(verdict.detail[name] for name in ("passed", "total", "first_failure")) == counts
    assert verdict.detail["exit_code"] == 0
    assert (verdict.detail.get("reason") == "no_tests") == (not outcomes)


def test_the_callers_workspace_stands_for_the_default_one():
    assert workdir(GotestSpec(), Path("/w")) == Path("/w")
    assert workdir(StdioSpec("x", workspace="/other"), Path("/w")) == Path("/other")


def test_commands_are_split_without_a_shell():
    assert split_command("a 'b c' $X") == ["a", "b c", "$X"]
    for command in ("", "  ", "a 'b"):
        with pytest.raises(InvalidTask):
            split_command(command)


@pytest.mark.parametrize(
    ("actual", "expected", "score"),
    [
        ("b\na\n", "a\nb\n", 1),
        ("a\0b", "a\nb", 1),
        ("\x1b[31m/workspace/a.txt\x1b[0m   10 kB", "a.txt 10", 1),
        ("./a.txt ./b.txt", "a.txt b.txt", 1),
        ("a./b", "ab", 0),
        ("a", "a\na", 0),
        ("a\na\nextra", "a\na", 1),
        ("a\nPermission denied", "a", 0),
        ("error: x", "error: x", 1),
        ("", "", 1),
        ("\n \n", "", 1),
        ("x", "", 0),
        ("\x1b]0;title\x07a", "a", 1),
        ("12 bytes", "12", 1),
        ("bytes", "bytes", 1),
    ],
)
def test_captures(actual, expected, score):
    assert score_capture(actual, expected)[0] == score


def test_what_is_wrong_is_told():
    assert score_capture("x failed", "a\nb") == (
        0,
        ["missing: a", "missing: b", "looks like an error: x failed"],
    )
    assert score_capture("x", "") == (0, ["output where none is expected"])


@given(st.text() | st.text("\x1b[;0m]a ./\0\n", max_size=60), st.text(max_size=20))
def test_any_output_has_a_score(actual, expected):
    score, messages = score_capture(actual, expected)
    assert (score == 1) == (not messages)
    assert score_capture(expected, expected)[0] == 1
