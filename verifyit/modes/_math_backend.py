"""Parsing and comparing of mathematical expressions with math-verify and sympy.

Runs in a worker process (``verifyit._bounded``), which is what bounds it: nothing here has a limit
of its own. Texts come in, plain values go out.
"""

from __future__ import annotations

import functools
from typing import Any

import math_verify
import sympy
from math_verify import ExprExtractionConfig, LatexExtractionConfig
from sympy.matrices.expressions.matexpr import MatrixExpr

from verifyit.modes._math_text import is_set_like, split_members
from verifyit.modes.extract import extract_boxed, strip_math_delimiters

_LATEX = (LatexExtractionConfig(),)
_EXPRESSION_AND_LATEX = (ExprExtractionConfig(), LatexExtractionConfig())
_BOX = "\\boxed{"

# The same reference is compared with many candidates; this holds a few batches of them.
_CACHED_REFERENCES = 256


def _parse(text: str, config: tuple[object, ...] | None = None) -> list[Any]:
    # No timeout of its own: it would be a signal, and the process's limit is the bound.
    options: dict[str, Any] = {} if config is None else {"extraction_config": config}
    parsed: list[Any] = math_verify.parse(text, parsing_timeout=None, **options)
    return parsed


def _parse_anchored(text: str) -> list[Any]:
    return _parse(f"${strip_math_delimiters(text)}$") or _parse(text)


def _parse_boxed(text: str) -> list[Any]:
    return _parse(f"{_BOX}{text}}}")


def _parse_raw_reference(text: str) -> list[Any]:
    return _parse(f"{_BOX}{text}}}", _LATEX)


def _parse_raw(text: str, config: tuple[object, ...]) -> list[Any]:
    if _BOX not in text:
        return _parse(text, config)
    content = extract_boxed(text)
    return [] if content is None else _parse(f"{_BOX}{content}}}", config)


def _expressions(parsed: list[Any]) -> list[Any]:
    return [item for item in parsed if not isinstance(item, str)]


@functools.lru_cache(maxsize=_CACHED_REFERENCES)
def _reference(expected: str, math_type: str, profile: str) -> tuple[list[Any], ...] | str:
    """The parsed members of a reference (one, but for lists), or what is wrong with it."""
    if not expected.strip():
        return "the reference is blank"
    if profile == "boxed":
        parsed = _parse_boxed(expected)
        return (parsed,) if parsed else "the reference cannot be parsed"
    if profile == "raw":
        members = [_parse_raw_reference(expected)]
    elif math_type == "list":
        members = [_parse_anchored(member) for member in split_members(expected)]
    else:
        members = [_parse_anchored(expected)]
    if not members or not all(_expressions(member) for member in members):
        return "the reference is not a mathematical expression"
    return tuple(members)


def check_reference(expected: str, math_type: str, profile: str) -> str | None:
    """What is wrong with a reference, or None."""
    reference = _reference(expected, math_type, profile)
    return reference if isinstance(reference, str) else None


def compare(
    expected: str, candidate: str, math_type: str, profile: str, *, allow_additive_constant: bool
) -> dict[str, object]:
    """Whether a candidate's answer is the reference's, and what there is to say about it.

    The reference must have passed check_reference.
    """
    reference = _reference(expected, math_type, profile)
    assert not isinstance(reference, str)
    if profile == "boxed":
        return _compare_boxed(reference[0], candidate, allow_constant=allow_additive_constant)
    if profile == "raw":
        return _compare_raw(reference[0], candidate, allow_constant=allow_additive_constant)
    if math_type == "list":
        return _compare_lists(reference, candidate)
    parsed = _parse_anchored(candidate)
    if not parsed:
        return {"matched": False, "reason": "unparsable"}
    matched = _same(reference[0], parsed, relations_as_sets=is_set_like(math_type))
    return {"matched": matched or (allow_additive_constant and _differ_by_constant(reference[0], parsed))}


def _same(reference: list[Any], candidate: list[Any], *, relations_as_sets: bool = False) -> bool:
    return bool(
        math_verify.verify(
            reference, candidate, allow_set_relation_comp=relations_as_sets, timeout_seconds=None
        )
    )


def _compare_boxed(reference: list[Any], text: str, *, allow_constant: bool) -> dict[str, object]:
    candidate = _parse_boxed(text)
    if not candidate:
        return {
            "matched": False,
            "reason": "missing_parse",
            "expected_parsed": [_shown(item) for item in reference],
            "candidate_parsed": [],
        }
    matched = _same(reference, candidate)
    return {"matched": matched or (allow_constant and _differ_by_constant(reference, candidate))}


def _compare_raw(reference: list[Any], text: str, *, allow_constant: bool) -> dict[str, object]:
    candidate = _parse_raw(text, _EXPRESSION_AND_LATEX)
    matched = bool(candidate) and _same(reference, candidate)
    if not matched and allow_constant:
        matched = _differ_by_constant(reference, _parse_raw(text, _LATEX))
    reason = {} if candidate else {"reason": "unparsable"}
    return {"matched": matched, "parsed_candidate": [_shown(item) for item in candidate], **reason}


def _compare_lists(reference: tuple[list[Any], ...], text: str) -> dict[str, object]:
    candidate = [_parse_anchored(member) for member in split_members(text)]
    if not candidate or not all(candidate):
        return {"matched": False, "reason": "unparsable"}
    if len(candidate) != len(reference):
        return {"matched": False}
    return {"matched": all(map(_same, reference, candidate))}


def _differ_by_constant(reference: list[Any], candidate: list[Any]) -> bool:
    return any(
        _is_finite_constant(left, right)
        for left in filter(_is_scalar, reference)
        for right in filter(_is_scalar, candidate)
    )


def _is_scalar(item: object) -> bool:
    return (
        isinstance(item, sympy.Expr)
        and not isinstance(item, MatrixExpr)
        and not item.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)
    )


def _is_finite_constant(left: Any, right: Any) -> bool:
    try:
        difference = sympy.simplify(left - right)
    except (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError):
        return False
    return not difference.free_symbols and difference.is_finite is True


def _shown(item: object) -> str:
    return str(item)[:MAX_SHOWN_CHARACTERS]


# Enough to see what was read.
MAX_SHOWN_CHARACTERS = 400


def canonical_constant(text: str) -> str | None:
    """A text that all spellings of one exact finite constant share; None for anything else."""
    expressions = _expressions(_parse_anchored(text))
    if len(expressions) != 1 or not isinstance(expressions[0], sympy.Expr):
        return None
    value = sympy.radsimp(sympy.simplify(expressions[0].doit()))
    if isinstance(value, MatrixExpr) or value.free_symbols or value.has(sympy.Float):
        return None
    if value.is_finite is not True or not value.is_number:
        return None
    return str(sympy.srepr(sympy.expand(value)))


def is_symbolic(text: str) -> bool:
    """Whether a text is one scalar expression with unknowns in it."""
    expressions = _expressions(_parse_anchored(text))
    return (
        len(expressions) == 1
        and isinstance(expressions[0], sympy.Expr)
        and not isinstance(expressions[0], MatrixExpr)
        and bool(expressions[0].free_symbols)
    )
