"""Shapes: found by parsing, compiled without touching the author's text, run by their contract."""

import ast
import sys
import textwrap

import pytest

from deepgym._judge.shape import compile_verifier, detect_shape, run_verifier
from deepgym.errors import UsageError, VerifierSyntaxError
from deepgym.models import Environment
from deepgym.shapes import resolve_environment_shape, resolve_shape

SCRIPT = "import json\nprint(json.dumps({'score': 1.0}))\n"


@pytest.fixture
def run(monkeypatch):
    """Run a verifier's source in this process, and put back what that replaces."""
    monkeypatch.setattr(sys, "argv", sys.argv)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.setitem(sys.modules, "verifier", sys)

    def run(source, mode="auto", cases=None):
        return run_verifier(compile_verifier(source, mode=mode), "/s.py", cases)

    return run


@pytest.mark.parametrize(
    ("source", "shape"),
    [
        (SCRIPT, "script"),
        ("'''def verify(solution_path): return 1.0'''\nprint(1)", "script"),
        ("# def verify(solution_path):\n#     return 1.0\nprint(1)", "script"),
        ("class A:\n    def verify(self, path): return 1.0\nprint(1)", "script"),
        ("def f():\n    def verify(path): return 1.0\n    return verify\nprint(f())", "script"),
        ("f = lambda: (verify := len)\nprint(1)", "script"),
        ("verify = True\nprint(1)", "script"),
        ("verify, n = False, 3\nprint(1)", "script"),
        ("import verify\nprint(verify)", "script"),
        ("for verify in [1]: print(verify)", "script"),
        ("def verify(a, b, c): return a\nprint(verify(1, 2, 3))", "script"),
        ("def verify(): return 1\nprint(verify())", "script"),
        ("def verify(a, *, strict): return a\nprint(1)", "script"),
        ("verify = lambda: 1\nprint(1)", "script"),
        ("verify: int\nprint(1)", "script"),
        ("(a, b) = f = 1, 2\nprint(1)", "script"),
        ("return_value = 'return 1.0'\nprint(return_value)", "script"),
        ("def f():\n    return 1.0\nprint(f())", "script"),
        ("def verify(solution_path, test_cases_path=None):\n    return 1.0", "verify_function"),
        ("def verify(path):\n    return 1.0", "verify_function"),
        ("def verify(path, cases):\n    return 1.0", "verify_function"),
        ("def verify(path, a=1, b=2):\n    return 1.0", "verify_function"),
        ("def verify(*args):\n    return 1.0", "verify_function"),
        ("def verify(path, *, test_cases_path):\n    return 1.0", "verify_function"),
        ("def verify(path, /, *, strict=True):\n    return 1.0", "verify_function"),
        ("async def verify(path):\n    return 1.0", "verify_function"),
        ("@decorate\ndef verify():\n    return 1.0", "verify_function"),
        ("verify = lambda path: 1.0", "verify_function"),
        ("verify = other", "verify_function"),
        ("verify = make()", "verify_function"),
        ("verify: object = make()", "verify_function"),
        ("a, verify = make()", "verify_function"),
        ("a, verify = 1, make", "verify_function"),
        ("a = verify = make()", "verify_function"),
        ("print(verify := make())", "verify_function"),
        ("from checks import verify", "verify_function"),
        ("from checks import check as verify", "verify_function"),
        ("if True:\n    def verify(path): return 1.0\nelse:\n    verify = None", "verify_function"),
        ("try:\n    from a import verify\nexcept ImportError:\n    from b import verify", "verify_function"),
        ("with x:\n    def verify(path): return 1.0", "verify_function"),
        ("return 1.0", "body"),
        ("x = 1\nif x:\n    return 1.0\nreturn 0.0", "body"),
        ("for x in []:\n    return 1.0", "body"),
        ("try:\n    return 1.0\nfinally:\n    pass", "body"),
        ("match 1:\n    case 1:\n        return 1.0", "body"),
        ("def verify(path):\n    return 1.0\nreturn verify(solution_path)", "body"),
        ("x = await f()\n", "body"),
        ("async with f():\n    pass", "body"),
        ("async for a in f():\n    pass", "body"),
        ("x = [a async for a in f()]", "body"),
    ],
)
def test_the_shape_is_found_by_parsing(source, shape):
    assert detect_shape(ast.parse(source)) == shape


def test_a_body_returns_its_verdict(run):
    assert run("x = 0.25\nif x:\n    return x * 2\nreturn 0.0") == 0.5
    assert run("return [solution_path, test_cases_path]", cases="/c.json") == ["/s.py", "/c.json"]
    assert run("x = 1", mode="body") is None
    assert run("# nothing", mode="body") is None


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("indent", ["", "    ", "\t", "  "])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_body_keeps_its_strings_whatever_its_line_ends_and_indentation(run, end, indent, bom):
    lines = [
        '"""docs',
        'not indented"""',
        "from __future__ import annotations",
        "text = '''one",
        "\ttwo",
        "      three",
        "'''",
        "if text:",
        "\tshort = 'a\\tb\\r\\n'",
        "",
        "def f(x: Undefined):",
        "    return (x,",
        "1)",
        "return [text, short, f(2)]",
    ]
    inside_a_string_or_bracket = {1, 4, 5, 6, 12}
    source = bom + end.join(
        line if number in inside_a_string_or_bracket or not line else indent + line
        for number, line in enumerate(lines)
    )
    assert run(source) == ["one\n\ttwo\n      three\n", "a\tb\r\n", (2, 1)]
    assert run(source.encode()) == ["one\n\ttwo\n      three\n", "a\tb\r\n", (2, 1)]


def test_nested_functions_generators_and_classes_work_in_a_body(run):
    source = """
        import math
        from os.path import *
        count = 0
        def numbers(n):
            yield from range(n)
        def bump():
            global count
            count += 1
            return count
        def outer():
            inner = 1
            def change():
                nonlocal inner
                inner += 1
            change()
            return inner
        class Point:
            total = count
            def area(self):
                return helper(3)
        def helper(x):
            return x if x == 0 else helper(x - 1) + math.floor(1.5)
        bump()
        bump()
        return [count, sum(numbers(4)), outer(), Point().area(), join("a", "b"), [x for x in numbers(2) if count]]
    """
    assert run(source) == [2, 6, 2, 3, "a/b", [0, 1]]


def test_a_body_may_change_its_own_names_from_below(run):
    assert run("hits = 0\ndef hit():\n    nonlocal hits\n    hits += 1\nhit()\nreturn hits") == 1


def test_a_body_may_declare_globals_and_use_the_paths_from_below(run):
    assert run(
        "global x\nx = 1\ndef f():\n    global solution_path\n    return solution_path, x\nreturn f()"
    ) == ("/s.py", 1)


def test_a_body_may_await(run):
    source = "import asyncio\nawait asyncio.sleep(0)\nreturn [x async for x in gen()]"
    gen = "async def gen():\n    yield 1\n"
    assert run(gen + source) == [1]


def test_a_dataclass_with_text_annotations_can_be_defined(run):
    source = "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n"
    assert run(source + "return A(3).x") == 3
    assert run(source + "def verify(path): return A(3).x") == 3


@pytest.mark.parametrize(
    ("source", "cases", "got"),
    [
        (
            "def verify(solution_path, test_cases_path=None): return solution_path, test_cases_path",
            "/c",
            ("/s.py", "/c"),
        ),
        (
            "def verify(solution_path, test_cases_path=None): return solution_path, test_cases_path",
            None,
            ("/s.py", None),
        ),
        (
            "def verify(solution_path, test_cases_path): return solution_path, test_cases_path",
            None,
            ("/s.py", None),
        ),
        ("def verify(path): return path", "/c", "/s.py"),
        ("verify = lambda path, strict=True: strict", None, True),
        ("verify = lambda *a: a", "/c", ("/s.py", "/c")),
        ("def verify(path, *, test_cases_path): return test_cases_path", "/c", "/c"),
        ("def verify(path, *, test_cases_path=None): return test_cases_path", "/c", "/c"),
        ("def verify(path, *, test_cases_path): return test_cases_path", None, None),
        ("async def verify(path): return path", None, "/s.py"),
        ("import functools\nverify = functools.partial(max, '/')", None, "/s.py"),
        ("verify = __import__('os').path.basename", None, "s.py"),
        ("class V:\n    def __call__(self, path): return path\nverify = V()", None, "/s.py"),
        (
            "if __name__ == '__main__':\n    raise SystemExit\ndef verify(path): return __name__",
            None,
            "verifier",
        ),
        ("  def verify(path):\n    return 1.0", None, 1.0),
        ("verify = __import__('functools').partial(max, '/')", "/t", "/t"),
    ],
)
def test_verify_is_called_by_its_contract(run, source, cases, got):
    assert run(source, cases=cases) == got


def test_a_verify_that_is_missing_is_said(run):
    with pytest.raises(TypeError, match=r"must define verify\(solution_path"):
        run("x = 1", mode="verify_function")
    with pytest.raises(TypeError, match="must define verify"):
        run("from math import pi as verify")


def test_a_verify_that_takes_three_is_called_and_complains(run):
    with pytest.raises(TypeError, match="missing 1 required"):
        run("def verify(a, b, c): pass", mode="verify_function")


def test_a_script_prints_and_finds_its_paths(run, capsys):
    source = "import sys\nprint(sys.argv[1:], solution_path, test_cases_path, __name__)\nx = 1\n"
    assert run(source, cases="/c") is None
    assert capsys.readouterr().out == "['/s.py', '/c'] /s.py /c __main__\n"
    assert run("  import sys\n  print(len(sys.argv))\n") is None
    assert capsys.readouterr().out == "2\n"


BODY_LINES = "x = 1\n\nif x:\n    y = 2\n{}\nreturn 1.0\n"


@pytest.mark.parametrize("indent", ["", "    ", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "bad", ["y = = 3", "def f(:", "z = 'open", "break", "class A: return 1", "yield 1", "nonlocal q"]
)
def test_a_syntax_error_has_the_authors_line(indent, end, bad):
    source = textwrap.indent(BODY_LINES.format(bad), indent).replace("\n", end)
    for given in (source, "\ufeff" + source, source.encode()):
        with pytest.raises(VerifierSyntaxError) as caught:
            resolve_shape(given, mode="body", filename="mine.py")
        assert (caught.value.filename, caught.value.lineno) == ("mine.py", 5)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\ny = '\0'\n", 2),
        ("x = 1\n\ny = '\ud800'\n", 3),
        (b"x = 1\ny = '\xff'\n", 2),
        (b"# coding: no-such-thing\nx = 1\n", 1),
        ("x = " + "(" * 5_000 + ")" * 5_000, 1),
        ("x = " + "-" * 200_000 + "1", 1),
        ("if x:\n    y\n  z\nreturn 1", 3),
        ("  x = 1\n y = 2\nreturn 1", 2),
        ("    x = 1\ny = 2", 1),
        ("    x = 1\nelse:\n    y = 2", 1),
        ("x = 1\n    y = 2", 2),
        ("from __future__ import no_such_thing\nreturn 1", 1),
        ("x = 1\ndef f():\n    from os import *\nreturn 1", 3),
    ],
)
def test_what_cannot_be_parsed_names_its_line(source, line):
    with pytest.raises(VerifierSyntaxError) as caught:
        resolve_shape(source)
    assert caught.value.lineno == line


def test_a_runtime_error_in_a_body_has_the_authors_line(run):
    with pytest.raises(ZeroDivisionError) as caught:
        run("    x = 1\n\n    return x / 0\n")
    traceback = caught.value.__traceback__
    while traceback.tb_next:
        traceback = traceback.tb_next
    assert (traceback.tb_frame.f_code.co_filename, traceback.tb_lineno) == ("verifier.py", 3)


def test_a_file_may_declare_its_encoding(run):
    assert run("# coding: latin-1\nreturn 'é'".encode("latin-1")) == "é"
    assert run("# coding: latin-1\nreturn 'é'") == "é"


def test_an_odd_escape_is_no_error_where_warnings_are(run):
    assert run("return '\\d'") == "\\d"


def test_a_return_under_another_mode_says_what_to_do():
    with pytest.raises(VerifierSyntaxError, match="a verifier that returns is a 'body'"):
        resolve_shape("return 1.0", mode="script")


def test_an_unknown_mode_names_the_valid_ones():
    with pytest.raises(UsageError, match="use 'auto', 'script', 'verify_function', 'body' or 'spec'"):
        resolve_shape("return 1.0", mode="function")


@pytest.mark.parametrize("source", ["", " \n\t\n", b"\r\n"])
def test_an_empty_verifier_is_refused(source):
    with pytest.raises(UsageError, match="is empty"):
        resolve_shape(source)


@pytest.mark.parametrize(
    "source", ["def verify(): return 1.0", "'''docs'''\nimport os\nX = 1\nasync def verify(a, b, c): ..."]
)
def test_a_module_with_nothing_but_an_unusable_verify_is_refused(source):
    with pytest.raises(UsageError, match=r"line \d: verify\(\) cannot be called with a solution's path"):
        resolve_shape(source)


def test_a_module_with_nothing_but_definitions_is_a_script():
    assert resolve_shape("def check(): return 1.0") == "script"
    assert resolve_shape("def verify(): return 1.0\nprint(verify())") == "script"


def test_a_spec_is_toml():
    assert resolve_shape("mode = 'exact'", mode="spec") == "spec"
    assert resolve_shape(b"mode = 'exact'", filename="verifier.toml") == "spec"
    with pytest.raises(UsageError, match="not a TOML spec"):
        resolve_shape("mode = ", mode="spec")
    with pytest.raises(UsageError, match="not a TOML spec"):
        resolve_shape(b"x = '\xff'", mode="spec")


def test_the_shape_of_an_environment_names_its_file(tmp_path):
    path = tmp_path / "v.py"
    path.write_text("return 1.0\n")
    assert resolve_environment_shape(Environment(task="t", verifier_path=path)) == "body"
    path.write_text("return 1.0\n)")
    with pytest.raises(VerifierSyntaxError) as caught:
        resolve_environment_shape(Environment(task="t", verifier_path=path))
    assert (caught.value.filename, caught.value.lineno) == (str(path), 2)
    assert resolve_environment_shape(Environment(task="t", verifier_code=SCRIPT)) == "script"
