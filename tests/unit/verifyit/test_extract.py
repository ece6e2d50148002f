import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.modes.extract import (
    collapse_whitespace,
    extract_boxed,
    extract_markdown_answer,
    last_line,
    strip_math_delimiters,
    unwrap_fence,
)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("\\boxed{5}", "5"),
        ("\\boxed{ 5 }", "5"),
        ("\\boxed{1} and \\boxed{2}", "2"),
        ("\\boxed{\\frac{1}{2}}", "\\frac{1}{2}"),
        ("\\boxed{a \\boxed{b} c}", "b"),
        ("\\boxed{}", ""),
        ("\\boxed{1} \\boxed{2", None),
        ("\\boxed{\\{}", None),
        ("\\boxed{\\{\\}}", "\\{\\}"),
        ("\\boxed {5}", None),
        ("\\fbox{5}", None),
        ("5", None),
        ("", None),
    ],
)
def test_the_last_box_gives_its_balanced_content(text, content):
    assert extract_boxed(text) == content


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\nb", "b"),
        ("a\n \n\t", "a"),
        ("a\x0bb", "b"),
        ("a\x85 b ", "b"),
        ("a\u2028b", "b"),
        ("a\x1cb", "b"),
        (" \n", None),
        ("", None),
    ],
)
def test_the_last_line_that_is_not_blank(text, line):
    assert last_line(text) == line


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("$x$", "x"),
        (" $$ x $$ ", "x"),
        ("\\(x\\)", "x"),
        ("\\[ \\( $x$ \\) \\]", "x"),
        ("$x$ and $y$", "$x$ and $y$"),
        ("$$", "$$"),
        ("$", "$"),
        ("$$x$", "$$x$"),
        ("\\(\\)", "\\(\\)"),
        ("\\[$x$ $\\]", "$x$ $"),
        ("x", "x"),
        ("", ""),
    ],
)
def test_wrapping_math_delimiters_are_removed(text, bare):
    assert strip_math_delimiters(text) == bare


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("```json\n{}\n```", "{}\n"),
        ("a ```x``` b", ""),
        ("```\n{}\n``` ```\n[]\n```", "{}\n"),
        ("```c++\n1```", "1"),
        ("``` 1 ```", "1 "),
        ("```json {}", "```json {}"),
        ("``````", ""),
        ("no fence", "no fence"),
    ],
)
def test_the_first_fence_is_unwrapped(text, body):
    assert unwrap_fence(text) == body


def test_whitespace_collapses():
    assert collapse_whitespace("\u00a0a\t\n b\u2003c ") == "a b c"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("# Answer\n42", "42"),
        ("###### ANSWER\n\n**42**\n", "42"),
        ("# Answer\n1\n## answer\n2\n# Notes\n3", "2"),
        ("# Answer\n`x`\n---\nrest", "x"),
        ("# Answer\n__y__", "y"),
        ("# Answer\n*a* and b", "*a* and b"),
        ("# Answer\n_z_\n```\ncode", "z"),
        ("# Answer\n***", "*"),
        ("# Answer", None),
        ("# Answer\n```\n1\n```", None),
        ("# The answer\n1", None),
        ("####### Answer\n1", None),
        ("Answer\n1", None),
        ("", None),
    ],
)
def test_the_section_under_an_answer_heading(text, answer):
    assert extract_markdown_answer(text) == answer


@given(st.text(alphabet="\\boxed{}$()[]`#* \nanswer"))
def test_nothing_raises_on_any_text(text):
    for function in (extract_boxed, last_line, strip_math_delimiters, unwrap_fence, extract_markdown_answer):
        function(text)


@pytest.mark.parametrize(
    "text",
    ["```" + "a" * 400_000, "\\boxed{" * 60_000, "{" * 400_000, "$" * 400_000, "\\(" * 200_000 + "\\)" * 200_000,
     "\n" * 400_000, "# Answer\n" * 40_000, "`" * 400_000, "```\n" + " " * 400_000],
    ids=range(9),
)  # fmt: skip
def test_a_long_text_takes_linear_time(text):
    started = time.process_time()
    for function in (extract_boxed, last_line, strip_math_delimiters, unwrap_fence, extract_markdown_answer):
        function(text)
    assert time.process_time() - started < 3
