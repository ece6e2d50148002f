"""Answers without thought: what they earn is the floor of an environment."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from deepgym.qa.interface import Interface
from deepgym.qa.writing import as_answer, stub_module, unified_diff

__all__ = ["PlainAnswer", "examples_answer", "floor_answers", "table_answer"]

_VALUES = {
    "None": "None",
    "0": "0",
    "1": "1",
    "-1": "-1",
    "True": "True",
    "False": "False",
    "empty text": "''",
    "empty list": "[]",
    "empty dict": "{}",
    "0.0": "0.0",
}
_ERRORS = ("ValueError", "IndexError", "KeyError", "TypeError", "OverflowError")


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """An answer without thought: what it is called, and its text."""

    name: str
    text: str


def floor_answers(interface: Interface) -> list[PlainAnswer]:
    """Empty, stub, constant, majority and echoing answers for an interface."""
    return [PlainAnswer("an empty answer", ""), *_FINDERS[interface.style](interface)]


def _code(interface: Interface) -> Iterator[PlainAnswer]:
    def stub(name: str, body: str) -> PlainAnswer:
        return PlainAnswer(name, as_answer(interface, stub_module(interface, body)))

    for name, value in _VALUES.items():
        yield stub(f"always {name}", f"return {value}")
    yield stub("the first argument", "return args[0] if args else None")
    yield stub("the last argument", "return args[-1] if args else None")
    yield stub("all arguments", "return list(args)")
    for error in _ERRORS:
        yield stub(f"always raises {error}", f"raise {error}('no')")
    yield from (
        stub(f"the most common result, {value:.60}", f"return {value}")
        for value in _most_common(interface.observation.first_values)
    )
    if interface.style == "patch" and interface.observation.patch is not None:
        yield PlainAnswer("a patch that only adds a comment", _harmless_patch(interface))


def _harmless_patch(interface: Interface) -> str:
    view = interface.observation.patch
    assert view is not None
    name = interface.module or next(iter(view.before))
    before = view.before.get(name, "")
    return unified_diff(name, before or None, f"{before}# nothing\n")


def _program(interface: Interface) -> Iterator[PlainAnswer]:
    texts = {name: value.strip("'") for name, value in _VALUES.items() if not value.startswith("{")}
    texts |= {
        f"the most common output, {text!r:.60}": text
        for text in _most_common(interface.observation.first_stdouts)
    }
    wanted = list(interface.outputs)
    common = _most_common(interface.observation.first_outputs)
    for name, text in [*texts.items(), *((f"the most common file, {text!r:.60}", text) for text in common)]:
        yield PlainAnswer(
            f"always {name}" if name in texts else name,
            f"import sys\ntext = {text!r}\nsys.stdout.write(text)\n"
            f"for name in {wanted!r}:\n    open(name, 'w').write(text)\n",
        )
    yield PlainAnswer("an echo of the input", "import sys\nsys.stdout.write(sys.stdin.read())\n")


def _text(interface: Interface) -> Iterator[PlainAnswer]:
    for word in ("0", "1", "-1", "None", "True", "[]", "{}", "yes"):
        yield PlainAnswer(f"always {word}", word)
    yield PlainAnswer("an echo of the task", interface.task)


_FINDERS = {"code": _code, "patch": _code, "program": _program, "text": _text}


def _most_common(texts: list[str]) -> list[str]:
    """The one or two texts that occur most, and more than once."""
    counts = Counter(text for text in texts if len(text) < 2_000)
    # A result that only one input has is no majority: to know it is to know the case.
    return [text for text, count in counts.most_common(2) if count > 1 or len(texts) == 1]


def table_answer(interface: Interface) -> str | None:
    """An answer that knows the results of the calls that were seen in the first run, and nothing else."""
    calls = [
        (call.name, call.args, call.value)
        for call in interface.observation.calls
        if call.value is not None and call.kwargs == "{}"
    ]
    return _table(interface, calls) if calls else None


def examples_answer(interface: Interface) -> str | None:
    """The same for the calls that the task itself shows."""
    shown = set(_examples(interface))
    calls = [
        (call.name, call.args, call.value)
        for call in interface.observation.calls
        if call.value is not None and (call.name, call.args) in shown
    ]
    return _table(interface, calls) if calls else None


def _table(interface: Interface, calls: list[tuple[str, str, str]]) -> str:
    table = (
        "TABLE = {\n" + "".join(f"    {(name, args)!r}: {value},\n" for name, args, value in calls) + "}\n"
    )
    names = "\n".join(
        f"def {function.name}(*args):\n    return TABLE.get(({function.name!r}, repr(args)))\n"
        for function in interface.functions
    )
    return as_answer(interface, f"{table}\n\n{names}")


def _examples(interface: Interface) -> Iterator[tuple[str, str]]:
    """Calls with literal arguments that the task's text holds, as (name, repr of the arguments)."""
    for function in interface.functions:
        for match in re.finditer(rf"\b{re.escape(function.name)}\(", interface.task):
            text = _balanced(interface.task[match.start() :])
            try:
                node = ast.parse(text, mode="eval").body
                if isinstance(node, ast.Call) and not node.keywords:
                    yield function.name, repr(tuple(ast.literal_eval(argument) for argument in node.args))
            except (ValueError, SyntaxError, RecursionError):
                continue


def _balanced(text: str) -> str:
    depth = 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and char == ")":
            return text[: at + 1]
    return text
