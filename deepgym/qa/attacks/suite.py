"""From cheats to answers: each fitted to the interface of one environment."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from deepgym._judge.shape import parse_source
from deepgym.qa.attacks import code, patch, program, text
from deepgym.qa.attacks.cheat import Cheat, Turn
from deepgym.qa.interface import Interface
from deepgym.qa.subject import Subject
from deepgym.qa.writing import as_answer, delete_file, stub_module, turned_module, turned_program

__all__ = ["Attack", "accepted_names", "apply_turn", "build_attacks", "literal_value"]


@dataclass(frozen=True, slots=True)
class Attack:
    """One answer that cheats.

    Attributes:
        name: Its id.
        row: Its row in the table of mechanisms.
        title: What it does.
        answer: The text to run.
        turns_a_right_answer: It has the right answer and gives it in a wrong form, so that it may earn a part, and
            must not pass.
        hangs: Run it under short time-outs.
    """

    name: str
    row: int
    title: str
    answer: str
    turns_a_right_answer: bool = False
    hangs: bool = False


def build_attacks(interface: Interface, subject: Subject) -> list[Attack]:
    """The cheats that can be tried on an environment.

    A cheat that gives an answer its author calls right is left out, and so is a turn that changes nothing that the
    verifier sees.
    """
    build = {"code": _code, "program": _program, "patch": _patch, "text": _text}[interface.style]
    known = {subject.reference.text if subject.reference else "", *(answer.text for answer in subject.right)}
    finals = {_final(answer) for answer in known if answer}
    is_text = interface.style == "text"
    return [
        attack
        for attack in build(interface, subject)
        if attack.turns_a_right_answer or not is_text or _final(attack.answer) not in finals
    ]


def _code(interface: Interface, subject: Subject) -> Iterator[Attack]:
    del subject
    for cheat in code.CHEATS:
        yield _attack(cheat, stub_module(interface, cheat.body, cheat.prelude))
    yield from _code_turns(interface, lambda source: source)


def _patch(interface: Interface, subject: Subject) -> Iterator[Attack]:
    for cheat in patch.CHEATS:
        yield _attack(cheat, cheat.body)
    view = interface.observation.patch
    if view is None or subject.reference is None:
        return
    for name in view.before:
        if name.rsplit("/", 1)[-1].startswith(("test_", "conftest")):
            deleted = subject.reference.text.rstrip("\n") + "\n" + delete_file(name, view.before[name])
            title = f"mends the project and deletes {name}"
            yield Attack(f"deleted-tests:{name}", 56, title, deleted, turns_a_right_answer=True)
    if interface.module is None:
        return
    for cheat in code.CHEATS:
        yield _attack(
            cheat, as_answer(interface, stub_module(interface, cheat.body, cheat.prelude)), prefix="module-"
        )
    yield from _code_turns(interface, lambda source: as_answer(interface, source))


def _code_turns(interface: Interface, render: Callable[[str], str]) -> Iterator[Attack]:
    values = [literal_value(value) for value in interface.observation.first_values]
    for turn in code.TURNS:
        if _changes_something(turn, values):
            yield _turned(turn, render(turned_module(interface, turn.source)))


def _program(interface: Interface, subject: Subject) -> Iterator[Attack]:
    head = f"OUTPUTS = {list(interface.outputs)!r}\n"
    for cheat in program.CHEATS:
        if interface.outputs or "output" not in cheat.name:
            yield _attack(cheat, head + cheat.body + "\n")
    if subject.reference is None or not _is_python(subject.reference.text):
        return
    seen = [*interface.observation.first_stdouts, *interface.observation.first_outputs]
    for turn in program.TURNS:
        if _changes_something(turn, seen):
            yield _turned(turn, turned_program(interface, turn.source))


def _text(interface: Interface, subject: Subject) -> Iterator[Attack]:
    for cheat in text.CHEATS:
        yield _attack(cheat, cheat.body)
    yield Attack("echoed-task", 54, "the task itself", interface.task)
    if subject.reference is not None:
        for turn in text.TURNS:
            turned = apply_turn(turn, subject.reference.text)
            if turned != subject.reference.text and _final(turned) != _final(subject.reference.text):
                yield _turned(turn, str(turned))


def _attack(cheat: Cheat, answer: str, prefix: str = "") -> Attack:
    return Attack(prefix + cheat.name, cheat.row, cheat.title, answer, hangs=cheat.hangs)


def _turned(turn: Turn, answer: str) -> Attack:
    return Attack(f"turned:{turn.name}", turn.row, turn.title, answer, turns_a_right_answer=True)


def accepted_names(accepts: Iterable[str]) -> set[str]:
    """The turns that an environment says it accepts, by the names of their attacks."""
    accepted = set(accepts)
    turns = (*code.TURNS, *program.TURNS, *text.TURNS)
    return {f"turned:{turn.name}" for turn in turns if turn.accepted_as in accepted}


def _changes_something(turn: Turn, values: list[Any]) -> bool:
    return any(_meaning(apply_turn(turn, value)) != _meaning(value) for value in values)


def _meaning(value: Any) -> str:
    """What is left of a text when blanks at its end do not count, and none at all in JSON."""
    if isinstance(value, str):
        try:
            return repr(json.loads(value))
        except (ValueError, RecursionError):
            return "\n".join(line.rstrip() for line in value.rstrip().splitlines())
    return repr(value)


def apply_turn(turn: Turn, value: Any) -> Any:
    """What a turn makes of a value; the turns are this package's own."""
    space: dict[str, Any] = {}
    exec(turn.source, space)  # noqa: S102 -- our own few lines, the same that go into the answer
    try:
        return space["turn"](value)
    except (TypeError, ValueError, OverflowError):
        return value


def literal_value(text: str) -> Any:
    """The value of a Python literal; None where the text is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _is_python(source: str) -> bool:
    try:
        parse_source(source)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _final(text: str) -> str:
    """What most graders take for the answer in a text: the last box, else the last line."""
    if "\\boxed{" in text:
        return text.rsplit("\\boxed{", 1)[1].split("}", maxsplit=1)[0].strip().casefold()
    lines = [line for line in text.strip().splitlines() if line.strip()]
    last = lines[-1].strip().casefold() if lines else ""
    return last.rsplit(" ", 1)[-1].strip(".()*$") if last else ""
