"""Writing answers: a module of stubs, a reference whose results are changed, and either of them as a patch."""

from __future__ import annotations

import difflib
import textwrap

from deepgym.qa.interface import Interface

__all__ = ["as_answer", "delete_file", "stub_module", "turned_module", "turned_program", "unified_diff"]

_TURN = """

{turn}

def _deepgym_turned(function):
    def turned(*args, **kwargs):
        return turn(function(*args, **kwargs))
    return turned

for _deepgym_name in {functions!r}:
    globals()[_deepgym_name] = _deepgym_turned(globals()[_deepgym_name])
for _deepgym_name, _deepgym_methods in {classes!r}:
    for _deepgym_method in _deepgym_methods:
        _deepgym_class = globals()[_deepgym_name]
        setattr(_deepgym_class, _deepgym_method, _deepgym_turned(getattr(_deepgym_class, _deepgym_method)))
"""
# Runs the reference with its output held back, then gives what it printed and wrote in another form.
_TURN_PROGRAM = """\
import contextlib, io, os, sys
{turn}
_text = io.StringIO()
_source = {source!r}
_code = 0
try:
    with contextlib.redirect_stdout(_text):
        _bytes = io.BytesIO()
        _text.buffer = _bytes
        exec(compile(_source, "answer.py", "exec"), {{"__name__": "__main__"}})
except SystemExit as _exit:
    _code = _exit.code
sys.stdout.write(turn(_text.getvalue() + _bytes.getvalue().decode()))
for _name in {outputs!r}:
    if os.path.isfile(_name):
        with open(_name, newline="") as _file:
            _content = _file.read()
        with open(_name, "w", newline="") as _file:
            _file.write(turn(_content))
sys.exit(_code)
"""


def stub_module(interface: Interface, body: str, prelude: str = "") -> str:
    """A module whose every function and method has one body; it sees its arguments as `args` and `kwargs`."""
    lines = [prelude.rstrip("\n")] if prelude else []
    inner = textwrap.indent(body, "    ")
    lines += [f"def {function.name}(*args, **kwargs):\n{inner}" for function in interface.functions]
    for kind in interface.classes:
        lines.append(f"class {kind.name}:\n    def __init__(self, *args, **kwargs):\n        pass")
        for method in kind.methods:
            block = f"def {method.name}(self, *args, **kwargs):\n{inner}"
            lines.append(textwrap.indent(block, "    "))
    return "\n\n".join(lines) + "\n"


def turned_module(interface: Interface, turn: str) -> str:
    """The reference's module with every result handed through `turn`."""
    return interface.source + _TURN.format(
        turn=turn,
        functions=[function.name for function in interface.functions],
        classes=[(kind.name, [method.name for method in kind.methods]) for kind in interface.classes],
    )


def turned_program(interface: Interface, turn: str) -> str:
    """The reference as a program whose output and files are handed through `turn`."""
    return _TURN_PROGRAM.format(turn=turn, source=interface.source, outputs=list(interface.outputs))


def as_answer(interface: Interface, source: str) -> str:
    """A module as an answer: itself, or a patch that makes it of the project's file."""
    view = interface.observation.patch
    if interface.style != "patch" or view is None or interface.module is None:
        return source
    after = {**view.after, interface.module: source}
    parts = [unified_diff(name, view.before.get(name), after[name]) for name in view.changed]
    if interface.module not in view.changed:
        parts.append(unified_diff(interface.module, view.before.get(interface.module), source))
    return "".join(parts)


def unified_diff(name: str, before: str | None, after: str) -> str:
    """A diff of one file that `git apply` would take."""
    lines = difflib.unified_diff(
        (before or "").splitlines(keepends=True),
        after.splitlines(keepends=True),
        "/dev/null" if before is None else f"a/{name}",
        f"b/{name}",
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def delete_file(name: str, content: str) -> str:
    """A diff that deletes a file."""
    lines = content.splitlines()
    removed = "".join(f"-{line}\n" for line in lines)
    head = f"diff --git a/{name} b/{name}\ndeleted file mode 100644\n--- a/{name}\n+++ /dev/null\n"
    return f"{head}@@ -1,{len(lines)} +0,0 @@\n{removed}"
