"""The entry of the linter: source in, findings out, the author's own allowances taken off."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from deepgym._judge.shape import parse_source
from deepgym.qa.finding import Finding
from deepgym.qa.lint import comparing, executing, handling, verdicts
from deepgym.qa.lint.taint import ModuleTaint
from deepgym.qa.rules import RULES

__all__ = ["lint_source"]

# `# deepgym: allow DG103 -- the task says that any number type is right`
_ALLOWED = re.compile(r"#\s*deepgym:\s*allow\s+((?:DG\d{3}[,\s]*)+)--\s*\S")
_ID = re.compile(r"DG\d{3}")


def lint_source(source: str, filename: str, *, shape: str = "verify_function") -> list[Finding]:
    """What is wrong with a verifier's source, in the order of its lines.

    A finding is allowed by a comment on its line that names the rule and gives a reason:
    `# deepgym: allow DG103 -- any number type is right`.

    Args:
        source: The text; one that does not parse has no findings here.
        filename: What findings call the file.
        shape: The verifier's shape, or "support" for a module beside it.
    """
    try:
        tree = parse_source(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    taint = ModuleTaint(tree, is_verifier=shape != "support")
    allowed = _allowances(source)
    found = {
        (rule, node.lineno, node.col_offset, message)
        for rule, node, message in _all(taint, shape)
        if rule not in allowed.get(node.lineno, ())
    }
    return [
        Finding(rule, message or RULES[rule].title, filename, line, column + 1)
        for rule, line, column, message in sorted(found, key=lambda item: (item[1], item[2], item[0]))
    ]


def _all(
    taint: ModuleTaint, shape: str
) -> Iterator[tuple[str, ast.stmt | ast.expr | ast.excepthandler, str]]:
    yield from executing.find(taint)
    yield from handling.find(taint)
    yield from comparing.find(taint)
    if shape != "support":
        yield from verdicts.find(taint, shape)


def _allowances(source: str) -> dict[int, set[str]]:
    return {
        number: set(_ID.findall(match[1]))
        for number, line in enumerate(source.splitlines(), start=1)
        if (match := _ALLOWED.search(line))
    }
