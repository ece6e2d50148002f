"""Instructions of the IFEval family, turned into what can be observed of a text.

Each function gives pairs for ``grade_instruction_observations``: a JSON Schema and a value observed in
the text, or an IfevalSpec and the text. An instruction it does not know gives None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from verifyit.modes.ifeval import CONSTRAINTS, count_keyword, paragraphs, sentences, words
from verifyit.reward import InvalidTask
from verifyit.spec import Constraint, IfevalSpec

_FAMILIES: Final = ("ifeval",)
_COUNTS: Final = {
    "at least": "minimum",
    "at most": "maximum",
    "less than": "exclusiveMaximum",
    "more than": "exclusiveMinimum",
    "exactly": "const",
    "equal": "const",
}
_BULLET: Final = re.compile(r"^[*-] ", re.MULTILINE)
_PLACEHOLDER: Final = re.compile(r"\[[^\[\]\n]{1,1000}\]")


def count_schema(expected: int, relation: str = "exactly") -> dict[str, Any]:
    """The JSON Schema of a count.

    >>> count_schema(3, "at least")
    {'type': 'integer', 'minimum': 3}

    Raises:
        InvalidTask: The relation is unknown, or the count is not an integer.
    """
    if relation not in _COUNTS:
        raise InvalidTask(f"unknown relation {relation!r}")
    if type(expected) is not int:
        raise InvalidTask(f"a count must be an integer, not {expected!r}")
    return {"type": "integer", _COUNTS[relation]: expected}


def prepare_instruction_observations(
    family: str, identifier: str, instruction: Any, original: Any, text: str
) -> Sequence[tuple[dict[str, Any] | IfevalSpec, Any]] | None:
    """What one instruction of a family asks of a text.

    Args:
        family: ``ifeval``.
        identifier: Its name, such as ``length_constraints:number_words``.
        instruction: Its parameters; those that are None do not count.
        original: The prompt the text answers, for instructions that refer to it.
        text: The text.

    Raises:
        InvalidTask: The parameters are not a table.
    """
    if family not in _FAMILIES or not isinstance(identifier, str):
        return None
    if not isinstance(instruction, Mapping | None):
        raise InvalidTask(f"the parameters of {identifier} must be a table")
    params = {key: value for key, value in (instruction or {}).items() if value is not None}
    if identifier == "combination:repeat_prompt":
        prompt = params.get("prompt_to_repeat", original)
        if not isinstance(prompt, str) or not prompt.strip():
            raise InvalidTask("there is no prompt to repeat")
        return [({"const": True}, text.strip().lower().startswith(prompt.strip().lower()))]
    if identifier not in CONSTRAINTS:
        return None
    return [(IfevalSpec((Constraint(identifier, params),)), text)]


def prepare_extended_instruction_observations(
    identifier: str, args: dict[str, Any], tools: Any, text: str
) -> list[tuple[dict[str, Any], Any]] | None:
    """What an instruction about a number asks of a text, with the caller's way of counting.

    Args:
        identifier: Its name.
        args: Its parameters.
        tools: ``words`` and ``sentences`` as attributes or keys: functions that split a text. What is not
            there is split as the ifeval mode does.
        text: The text.

    Raises:
        InvalidTask: A parameter is missing or of the wrong type.
    """
    rule = _COUNTED.get(identifier)
    if rule is None:
        return None
    parameter, relation, count = rule
    if parameter not in args:
        raise InvalidTask(f"{identifier} needs {parameter}")
    named = args.get(relation) if relation else None
    fallback = "exactly" if relation is None else "at least"
    return [(count_schema(args[parameter], named or fallback), count(text, args, tools))]


def _splitter(tools: Any, name: str, fallback: Callable[[str], list[str]]) -> Callable[[str], Sequence[str]]:
    found = tools.get(name) if isinstance(tools, Mapping) else getattr(tools, name, None)
    return found if callable(found) else fallback


def _text_argument(args: Mapping[str, Any], name: str) -> str:
    value = args.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidTask(f"{name} must be a text")
    return value


def _count_words(text: str, _args: Mapping[str, Any], tools: Any) -> int:
    return len(_splitter(tools, "words", words)(text))


def _count_sentences(text: str, _args: Mapping[str, Any], tools: Any) -> int:
    return len(_splitter(tools, "sentences", sentences)(text))


def _count_paragraphs(text: str, _args: Mapping[str, Any], _tools: Any) -> int:
    return len(paragraphs(text))


def _count_keyword(text: str, args: Mapping[str, Any], _tools: Any) -> int:
    return count_keyword(text, _text_argument(args, "keyword"))


def _count_letter(text: str, args: Mapping[str, Any], _tools: Any) -> int:
    return text.lower().count(_text_argument(args, "letter").lower())


def _count_bullets(text: str, _args: Mapping[str, Any], _tools: Any) -> int:
    return len(_BULLET.findall(text))


def _count_placeholders(text: str, _args: Mapping[str, Any], _tools: Any) -> int:
    return len(_PLACEHOLDER.findall(text))


# Identifier: the parameter with the number, the parameter with the relation, and the count. Without a
# relation parameter the number is exact, but for placeholders, whose number is a minimum.
_COUNTED: Final[dict[str, tuple[str, str | None, Callable[[str, Mapping[str, Any], Any], int]]]] = {
    "length_constraints:number_words": ("num_words", "relation", _count_words),
    "length_constraints:number_sentences": ("num_sentences", "relation", _count_sentences),
    "length_constraints:number_paragraphs": ("num_paragraphs", None, _count_paragraphs),
    "keywords:frequency": ("frequency", "relation", _count_keyword),
    "keywords:letter_frequency": ("let_frequency", "let_relation", _count_letter),
    "detectable_format:number_bullet_lists": ("num_bullets", None, _count_bullets),
    "detectable_content:number_placeholders": ("num_placeholders", "relation", _count_placeholders),
}
