"""The source of a solution is read without running it, and hostile sources give one error."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepgym_solution import _sources
from deepgym_solution._sources import solution_source
from deepgym_solution.errors import SolutionError

SOURCE = '''\
"""A solution."""
import os
os._exit(7)  # it is never run

# about first
@decorate(
    1,
)
# between the decorators
@again
def first(x):
    """Says é."""
    # inside
    def inner():
        pass
    return x  # at the end

# after first
async def second(): return 1

class Third(Base):
    y = 1

    def first(self):
        return 2
# last words
'''
FIRST = SOURCE[SOURCE.index("@decorate") : SOURCE.index("\n# after first")]


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "solution.py"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        return path

    return write


def refuse(path, name="f"):
    with pytest.raises(SolutionError) as caught:
        solution_source(path, name)
    return caught.value


def test_the_whole_source_is_returned(write):
    assert solution_source(write(SOURCE)) == SOURCE
    assert solution_source(str(write("not python {"))) == "not python {"
    assert solution_source(write("")) == ""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("first", FIRST),
        ("second", "async def second(): return 1\n"),
        ("Third", SOURCE[SOURCE.index("class") : SOURCE.index("# last words")]),
    ],
)
def test_one_definition_is_returned_with_its_decorators_and_without_what_is_around(write, name, expected):
    assert solution_source(write(SOURCE), name) == expected
    assert solution_source(write(SOURCE.rstrip("\n") if name != "Third" else SOURCE), name) == expected


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + SOURCE.encode(),
        SOURCE.replace("\n", "\r\n").encode(),
        SOURCE.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + SOURCE.replace("\n", "\r\n").encode(),
    ],
)
def test_marks_and_line_ends_make_no_difference(write, content):
    path = write(content)
    assert solution_source(path) == SOURCE
    assert solution_source(path, "first") == FIRST


@pytest.mark.parametrize(
    "template",
    [
        "if x:\n    {}\n",
        "if x:\n    pass\nelif y:\n    {}\n",
        "if x:\n    pass\nelse:\n    if y:\n        z = 1\n    {}\n",
        "try:\n    {}\nexcept E:\n    pass\n",
        "try:\n    import f\nexcept E:\n    {}\n",
        "try:\n    pass\nexcept* E:\n    {}\n",
        "try:\n    pass\nexcept E:\n    pass\nelse:\n    {}\n",
        "try:\n    pass\nfinally:\n    {}\n",
        "with a:\n    {}\n",
        "for a in b:\n    {}\n",
        "while a:\n    {}\n",
        "match a:\n  case 1:\n    {}\n",
    ],
)
def test_definitions_in_branches_are_found_and_shown_without_indentation(write, template):
    code = "@d\n    def f():\n        # inside\n        return '''\n    kept\n  kept'''"
    expected = "@d\ndef f():\n    # inside\n    return '''\n    kept\n  kept'''\n"
    assert solution_source(write(template.format(code)), "f") == expected


def test_a_comment_with_less_indentation_than_its_branch_stays(write):
    assert (
        solution_source(write("if x:\n    def f():\n  # odd\n        pass\n"), "f")
        == "def f():\n# odd\n    pass\n"
    )


def test_definitions_inside_of_others_are_not_at_the_top_level(write):
    assert "no function or class 'inner'" in str(refuse(write(SOURCE), "inner"))
    assert "no function or class 'f'" in str(refuse(write("class A:\n    def f(self): pass\n")))


def test_the_last_of_several_counts_as_it_does_when_the_solution_is_loaded(write):
    assert (
        solution_source(write("def f(): return 1\nif x:\n    def f(): return 2\n"), "f")
        == "def f(): return 2\n"
    )


def test_an_assigned_lambda_is_shown(write):
    assert solution_source(write("x = 1; f = lambda a: (\n  a)\n"), "f") == "f = lambda a: (\n  a)\n"
    assert solution_source(write("f: T = lambda: 1\n"), "f") == "f: T = lambda: 1\n"
    assert "no function" in str(refuse(write("f = 1\nf: int\ng = lambda: 1\nx.f = lambda: 1\n")))


def test_names_are_compared_as_the_language_does(write):
    path = write("def ﬁne(): pass\n")
    assert solution_source(path, "fine") == solution_source(path, "ﬁne") == "def ﬁne(): pass\n"


def test_declared_encodings_are_honoured(write):
    latin = "# -*- coding: latin-1 -*-\ndef f(): return 'é'\n"
    assert solution_source(write(latin.encode("latin-1")), "f") == "def f(): return 'é'\n"
    second_line = "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '€'\n"
    assert solution_source(write(second_line.encode("cp1252"))) == second_line
    third_line = "x = 1\n# coding: latin-1\n'é'\n"
    assert solution_source(write(third_line)) == third_line


@pytest.mark.parametrize("encoding", ["punycode", "idna", "no-such", "utf-16", "rot13", "zip", "x" * 500])
def test_other_encodings_are_refused(write, encoding):
    error = refuse(write(f"# coding: {encoding}\nx = 1\n"), None)
    assert isinstance(error, SyntaxError)
    assert "declares the encoding" in str(error)


def test_a_source_that_is_not_text_is_refused(write):
    error = refuse(write(b"x = '\xff'\n"), None)
    assert isinstance(error, UnicodeDecodeError)
    assert "not utf-8 text: invalid start byte at byte 5" in str(error)
    assert isinstance(refuse(write(b"# coding: ascii\n\xc3\xa9"), None), UnicodeDecodeError)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("def f(:\n", "in line 1"),
        ("def f(): pass\n\n(\n", "was never closed in line 3"),
        ("def f(): return '\ud800'\n", "lone surrogate"),
        ("def f(): pass\n\0\n", "NUL"),
        ("x = " + "(" * 500 + ")" * 500, "nested"),
        ("x = " + "-" * 100_000 + "1", "nested too deeply"),
        ("x" + ".a" * 200_000, "nested too deeply"),
        ("x = " + "9" * 10_000, "cannot be parsed"),
        ("if x:\n" + "".join(" " * n + "if x:\n" for n in range(1, 150)), "cannot be parsed"),
        ("#" * 1_000_001, "too long to parse"),
    ],
)
def test_what_cannot_be_parsed_is_a_solution_error_and_a_syntax_error(write, content, message):
    path = write(content)
    error = refuse(path)
    assert isinstance(error, SyntaxError)
    assert message in str(error)
    assert solution_source(path) == content  # the whole of it can be had all the same


def test_a_file_over_the_limit_is_refused(write, monkeypatch):
    monkeypatch.setattr(_sources, "MAX_SOURCE_BYTES", 3)
    assert "larger than 3 bytes" in str(refuse(write("1234"), None))


def test_a_missing_file_is_the_callers_own_mistake(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        solution_source(tmp_path / "gone.py")
    assert not isinstance(caught.value, SolutionError)


def test_odd_escapes_warn_nobody(write):
    assert solution_source(write("def f(): return '\\d'\n"), "f") == "def f(): return '\\d'\n"


def test_a_long_f_string_costs_linear_time(write):
    path = write("def f():\n return f'''" + "{a}\n" * 20_000 + "'''\n")
    started = time.process_time()
    assert solution_source(path, "f").count("{a}") == 20_000
    assert time.process_time() - started < 10


@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from(["def f():", " pass", "@", "\r", "\n", "#", "if 1:", "\0", "'''"])).map(
        lambda parts: "".join(parts).encode()
    )
)
def test_any_bytes_give_text_or_the_one_error(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.py"
    path.write_bytes(content)
    for name in (None, "f"):
        try:
            assert type(solution_source(path, name)) is str
        except SolutionError:
            continue
