"""extract_code: which part of a model's answer is the code."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepgym.answers import extract_code

CODE = "def f(x):\n    return x\n"


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        "    return x + 1\n",
        "\n  \n",
        "",
        "call `f(1)` or ``f``",
        "x = '```'\ny = 1\n",
        "s.split('</think>')[-1]\nt = \"<think>\"\n",
        "no code at all",
        "x = 1  # the <think> tag\ny = 2  # and </think> too\n",
        "before </think> after",
        "lone \ud800 surrogate \0",
    ],
)
def test_text_without_a_fence_is_the_code(text):
    assert extract_code(text) == text


@pytest.mark.parametrize(
    "text",
    [
        f"```python\n{CODE}```",
        f"Sure!\n\n```python\n{CODE}```\nThat was it.\n",
        f"```py\n{CODE}```\n",
        f"```Python3\n{CODE}```",
        f"```\n{CODE}```",
        f"``` python \n{CODE}```  \n",
        f"```{{.python}}\n{CODE}```",
        f'```python title="f.py"\n{CODE}```',
        f"~~~python\n{CODE}~~~",
        f"````python\n{CODE}````",
        f"```python\n{CODE}`````",
        f"```python\n{CODE}",
        f"Answer: ```python\n{CODE}```",
        f"```rust\nfn f() {{}}\n```\n```\n{CODE}```",
        f"```output\n1\n```\n```python\n{CODE}```\n```text\n2\n```",
        f"```python\n\n```\n```python\n{CODE}```",
        f"```python\n{CODE}```\nUsage:\n```python\nprint(f(1))\n```",
        f"```python\nimport os\n```\n```python\n{CODE}```",
        f"```python\ndef f(x):\n    return 0  # draft\n```\nBetter:\n```python\n{CODE}```",
        f"```markdown\n# Title\n```python\n{CODE}```\n```",
        f"````md\nfirst\n```python\n{CODE}```\n````",
        f"<think>\n```python\ndraft()\n```\n</think>\n```python\n{CODE}```",
        f"draft\n```python\ndef f(x): pass\n```\n</think>\n\n```python\n{CODE}```",
        f"<Thinking>hm</Thinking>\n\n{CODE}",
        f"<think>\nhm\n</think>{CODE}",
        f"hm\n</think>\r\n{CODE}",
        f"<think>a</think><think>b</think>\n{CODE}",
        f"```python\n{CODE}```\n<think>and now",
    ],
)
def test_the_code_is_found(text):
    assert extract_code(text).strip("\n") == CODE.strip("\n")


@pytest.mark.parametrize("lead", ["  ", "    ", "\t", "- ", "1. ", "> "])
def test_a_fence_may_be_indented_listed_or_quoted(lead):
    rest = "> " if ">" in lead else " " * len(lead)
    rest = "\t" if lead == "\t" else rest
    body = "".join(rest + line for line in CODE.splitlines(keepends=True))
    assert extract_code(f"Text\n{lead}```python\n{body}{rest}```\n") == CODE


def test_a_fence_in_a_docstring_does_not_end_the_block():
    code = 'def f(x):\n  """Example:\n\n  ```\n  f(1)\n  ```\n  """\n  return x\n'
    assert extract_code(f"```python\n{code}```\n\nDone.\n```\nother\n```") == code


def test_a_tag_inside_a_fence_is_code():
    code = "TAG = '<think>'\nEND = '</think>'\n# a <think> b\n"
    assert extract_code(f"```python\n{code}```") == code


def test_a_module_whose_docstrings_hold_fences_is_itself():
    code = '"""Usage:\n\n```python\nf(1)\n```\n"""\n\ndef f(x):\n    return "<think>"\n'
    assert extract_code(code) == code


def test_line_ends_are_kept():
    assert extract_code("```python\r\nx = 1\r\ny = 2\r\n```\r\n") == "x = 1\r\ny = 2\r\n"


def test_the_entry_point_decides_between_blocks():
    text = "```python\ndef f(): return 1\n```\n```python\ndef test_f(): assert f() == 1\n```"
    assert "def f" in extract_code(text, entry_point="f")
    assert "test_f" in extract_code(text)
    assert "test_f" in extract_code(text, entry_point="g")


def test_blocks_that_define_nothing_leave_the_last():
    assert extract_code("```\na = 1\n```\n```\nb = 2\n```") == "b = 2\n"
    assert extract_code("```\na = \n```\n```\nb = \n```") == "b = \n"


def test_another_language_is_taken_when_there_is_no_python():
    assert extract_code("```text\nhi\n```\n```diff\n-a\n+b\n```") == "-a\n+b\n"
    assert extract_code("```console\n$ ls\n```") == "$ ls\n"


def test_reasoning_that_never_closes_leaves_nothing_behind_it():
    assert extract_code("<think>\n```python\nx = 1\n```\n") == ""


def test_a_huge_answer_is_taken_apart_by_its_fences():
    code = "x = 1\n" * 100_000
    assert extract_code(f"```python\n{code}```") == code


def test_documents_within_documents_end_soon():
    assert "```md" in extract_code("```md\n" * 5_000)


def test_many_fences_end_soon():
    text = "```python\nx = (\n" + "```\n" * 50_000
    assert extract_code(text) == "x = (\n"


@given(st.text(st.sampled_from("`~> \n\r\tpy</think>ab'\"-1."), max_size=200))
def test_any_text_gives_some_part_of_itself(text):
    code = extract_code(text)
    assert isinstance(code, str)
    assert len(code) <= len(text)


@given(st.text(st.characters(codec="utf-8"), max_size=50).map(ascii))
def test_a_fenced_literal_comes_back(text):
    code = f"def f():\n    return {text}\n"
    assert ast.literal_eval(text) is not None
    assert extract_code(f"Here:\n```python\n{code}```\nBye") == code
