"""What an answer looks like here: which functions and classes, which files, a program, a patch or a text.

Read from the reference's syntax tree, from what the verifier was seen to ask for, and from the task; nothing is run.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Literal

from deepgym._judge.shape import parse_source
from deepgym.qa.observation import Observation
from deepgym.qa.subject import Subject
from deepgym.shapes import resolve_environment_shape

__all__ = ["Interface", "Kind", "Signature", "Style", "read_interface"]

Style = Literal["code", "program", "patch", "text"]

_FILE_NAME = re.compile(r"\b[\w-]+\.(?:txt|json|csv|md|html|xml|yaml|yml|toml|tsv|svg|bin|log|ini|py)\b")


@dataclass(frozen=True, slots=True)
class Signature:
    """A function or method, and how many positional arguments it is called with."""

    name: str
    arity: int


@dataclass(frozen=True, slots=True)
class Kind:
    """A class and its public methods."""

    name: str
    methods: tuple[Signature, ...]


@dataclass(frozen=True, slots=True)
class Interface:
    """What answers look like.

    Attributes:
        style: How an answer is used.
        source: The Python that the reference amounts to: itself, or the module that its patch mends; empty where
            there is none.
        module: The path of that module inside the project, where answers are patches.
        functions: Functions that are called, or might be.
        classes: Classes of which objects are made.
        outputs: Files that a program writes.
        task: The task's text.
        observation: What the verifier was seen to ask for.
    """

    style: Style
    source: str
    task: str
    observation: Observation
    module: str | None = None
    functions: tuple[Signature, ...] = ()
    classes: tuple[Kind, ...] = ()
    outputs: tuple[str, ...] = ()


def read_interface(subject: Subject, observation: Observation) -> Interface:
    """The interface of an environment whose reference was observed."""
    reference = subject.reference.text if subject.reference else ""
    task = subject.environment.task
    style = _style(subject, observation)
    if style == "text":
        return Interface("text", "", task, observation)
    module, source = None, reference
    if style == "patch" and observation.patch is not None:
        module = _module_path(observation)
        source = observation.patch.after.get(module, "") if module else ""
    functions, classes = _definitions(source, observation)
    if style == "program":
        return Interface(style, source, task, observation, outputs=_outputs(observation, task, source))
    return Interface(style, source, task, observation, module, functions, classes)


def _style(subject: Subject, observation: Observation) -> Style:
    if resolve_environment_shape(subject.environment) == "spec":
        return "text"
    if observation.patch is not None:
        return "patch"
    if observation.calls or observation.objects:
        return "code"
    if observation.programs:
        return "program"
    source = subject.environment.read_verifier()
    text = source if isinstance(source, str) else source.decode("utf-8", "replace")
    # Nothing was seen, since the inputs are too large or the reference failed: the verifier's words have to do.
    if "load_solution" in text:
        return "code"
    return "program" if "run_solution" in text else "text"


def _module_path(observation: Observation) -> str | None:
    patch = observation.patch
    assert patch is not None
    if patch.entry is not None:
        base = patch.entry.replace(".", "/")
        for path in (f"{base}.py", f"{base}/__init__.py"):
            if path in patch.changed:
                return path
    changed = [name for name in patch.changed if name.endswith(".py")]
    return changed[0] if changed else None


def _definitions(source: str, observation: Observation) -> tuple[tuple[Signature, ...], tuple[Kind, ...]]:
    try:
        tree = parse_source(source)
    except (SyntaxError, ValueError, RecursionError):
        return (), ()
    called = {call.name for call in observation.calls}
    functions = [
        Signature(node.name, _arity(node))
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    # Only what is asked for, where that was seen: a helper is nobody's business.
    wanted = [function for function in functions if function.name in called] or [
        function for function in functions if not function.name.startswith("_")
    ]
    classes = [
        Kind(
            node.name,
            tuple(
                Signature(item.name, max(0, _arity(item) - 1))
                for item in node.body
                if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and not item.name.startswith("_")
            ),
        )
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    ]
    made = {item.name for item in observation.objects}
    used = [kind for kind in classes if kind.name in made] or ([] if called else classes)
    return tuple(wanted if called or not made else []), tuple(used)


def _arity(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return len(node.args.posonlyargs) + len(node.args.args)


def _outputs(observation: Observation, task: str, source: str) -> tuple[str, ...]:
    seen = [name for run in observation.programs for name in run.outputs]
    inputs = {name for run in observation.programs for name in run.files}
    named = [name for name in _FILE_NAME.findall(task) if name in source and name not in inputs]
    return tuple(dict.fromkeys([*seen, *named]))
