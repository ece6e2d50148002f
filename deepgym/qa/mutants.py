"""Mutants: the reference with one small mistake in it, each of a kind that people and models make.

Made with libcst, so that all but the mistake stays as it was written. It is an extra: `deepgym[qa]`.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deepgym.errors import UsageError

if TYPE_CHECKING:
    import libcst as cst

__all__ = ["Mutant", "make_mutants"]

MAX_MUTANTS = 60


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mutant.

    Attributes:
        operator: The kind of mistake.
        line: Where it is.
        source: The whole text.
        diff: What is different.
    """

    operator: str
    line: int
    source: str
    diff: str


def make_mutants(
    source: str, *, lines: frozenset[int] | None = None, limit: int = MAX_MUTANTS, seed: int = 0
) -> list[Mutant]:
    """Mutants of a Python source, in the order of its lines.

    Args:
        source: What to mutate.
        lines: Only mistakes on these lines, counted from 1; all unless given.
        limit: At most so many; more are drawn from, evenly over the kinds of mistake.
        seed: What the draw depends on.

    Raises:
        UsageError: libcst is not installed.
    """
    try:
        import libcst as cst  # noqa: PLC0415 -- heavy, and an extra
    except ImportError:
        raise UsageError("mutants need libcst: pip install 'deepgym[qa]'") from None
    try:
        module = cst.parse_module(source)
    except cst.ParserSyntaxError:
        return []
    found: dict[str, Mutant] = {}
    for operator, line, changed in _edits(module):
        if (lines is None or line in lines) and changed.code != source and _compiles(changed.code):
            found.setdefault(changed.code, Mutant(operator, line, changed.code, _diff(source, changed.code)))
    return _drawn(list(found.values()), limit, seed)


def _edits(module: cst.Module) -> Iterator[tuple[str, int, cst.Module]]:
    import libcst as cst  # noqa: PLC0415
    from libcst import metadata  # noqa: PLC0415

    from deepgym.qa import mutations  # noqa: PLC0415 -- needs libcst as well

    wrapper = metadata.MetadataWrapper(module)
    positions = wrapper.resolve(metadata.PositionProvider)
    parents = wrapper.resolve(metadata.ParentNodeProvider)
    nodes: list[cst.CSTNode] = []

    class Collector(cst.CSTVisitor):
        def on_visit(self, node: cst.CSTNode) -> bool:
            nodes.append(node)
            return True

    wrapper.module.visit(Collector())
    for node in nodes:
        if node in positions and not mutations.is_docstring(node, parents):
            line = positions[node].start.line
            for operator, replacement in mutations.replacements(node, parents):
                changed: Any = wrapper.module.deep_replace(node, replacement)
                yield operator, line, changed


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _diff(before: str, after: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "reference", "mutant", n=2, lineterm=""
    )
    return "\n".join(lines)


def _drawn(mutants: list[Mutant], limit: int, seed: int) -> list[Mutant]:
    if len(mutants) > limit:
        by_operator: dict[str, list[Mutant]] = {}
        for mutant in mutants:
            by_operator.setdefault(mutant.operator, []).append(mutant)
        rng = random.Random(seed)  # noqa: S311 -- a repeatable choice
        for group in by_operator.values():
            rng.shuffle(group)
        chosen: list[Mutant] = []
        while len(chosen) < limit:
            for group in by_operator.values():
                if group and len(chosen) < limit:
                    chosen.append(group.pop())
        mutants = chosen
    key: Callable[[Mutant], tuple[int, str]] = lambda mutant: (mutant.line, mutant.diff)  # noqa: E731
    return sorted(mutants, key=key)
