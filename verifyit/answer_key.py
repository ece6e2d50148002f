"""Grade a submission against an answer key, from the key and the outputs alone.

A submission is ``{"outputs": {task: value, ...}}``. Nothing else in it is read: not a reward it reports
about itself, not a count, not a verdict. Coverage is settled first, the denominator is the key's, and a
value counts only when it has the key's type at every level and is then equal.

Everything that a submission holds is hostile. Types are matched by identity and values are walked with
the builtin types' own methods, without recursion, so no code of the submission's objects ever runs: an
object with its own ``__eq__``, ``__hash__`` or metaclass is merely of the wrong type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, Literal, TypedDict

from verifyit._unicode import normalize_unicode
from verifyit.numeric import numeric_literal

__all__ = ["STRICT", "CanonicalForm", "Outcome", "explain_difference", "strict_equal", "verify"]

# Keys of dicts and members of sets are hashed as nested tuples, which the interpreter does recursively.
MAX_KEY_DEPTH: Final = 64
# Longest text and longest integer that an explanation quotes.
MAX_QUOTED_CHARACTERS: Final = 60
MAX_QUOTED_BITS: Final = 200

_SCALARS: Final = frozenset({type(None), bool, int, float, complex, str, bytes})


class Outcome(TypedDict):
    """What verify() returns."""

    reward: float
    accepted: bool


@dataclass(frozen=True, kw_only=True)
class CanonicalForm:
    """Which differences between a value and the key do not count. The default forgives none.

    Text forms hold for text anywhere inside a value, except the keys of dicts.

    Attributes:
        strip: Leading and trailing whitespace.
        fold_case: Upper and lower case, by Unicode case folding.
        nfc: Unicode composition (NFC).
        parse_numbers: Text that spells a number is that number, and numbers compare by exact value, so
            that ``"4"``, ``4`` and ``4.0`` agree. A bool is never a number.
        rel_tol: Relative tolerance, as in math.isclose(). Two numbers of one type, or of any types with
            parse_numbers.
        abs_tol: Absolute tolerance, as in math.isclose().
    """

    strip: bool = False
    fold_case: bool = False
    nfc: bool = False
    parse_numbers: bool = False
    rel_tol: float = 0.0
    abs_tol: float = 0.0

    def __post_init__(self) -> None:
        """Refuse options of the wrong type.

        Raises:
            TypeError: A switch is not a bool, or a tolerance is not a number.
            ValueError: A tolerance is negative or not finite.
        """
        for name in ("strip", "fold_case", "nfc", "parse_numbers"):
            if type(getattr(self, name)) is not bool:
                raise TypeError(f"{name} must be true or false, got {getattr(self, name)!r}")
        for name in ("rel_tol", "abs_tol"):
            tolerance = getattr(self, name)
            if type(tolerance) not in (int, float):
                raise TypeError(f"{name} must be a number, got {tolerance!r}")
            if not (math.isfinite(tolerance) and tolerance >= 0):
                raise ValueError(f"{name} must be finite and not negative, got {tolerance!r}")

    def text(self, value: str) -> str:
        """The canonical form of a text."""
        if self.nfc:
            value = normalize_unicode("NFC", value)
        if self.strip:
            value = value.strip()
        if self.fold_case:
            value = value.casefold()
            value = normalize_unicode("NFC", value) if self.nfc else value
        return value

    def scalar(self, value: Any) -> Any:
        """The canonical form of a plain scalar; numbers become Fractions where they are parsed."""
        if type(value) is str:
            text = self.text(value)
            return _parsed(text) if self.parse_numbers else text
        if self.parse_numbers and (type(value) is int or (type(value) is float and math.isfinite(value))):
            return Fraction(value)
        return value

    def equal(self, got: Any, expected: Any) -> bool:
        """Whether two plain scalars agree."""
        got, expected = self.scalar(got), self.scalar(expected)
        if type(got) is not type(expected):
            return False
        if got == expected:
            return True
        return type(got) in (int, float, Fraction) and self._close(got, expected)

    def _close(self, got: float | Fraction, expected: float | Fraction) -> bool:
        if not (self.rel_tol or self.abs_tol):
            return False
        if type(got) is float:
            return math.isclose(got, expected, rel_tol=self.rel_tol, abs_tol=self.abs_tol)
        # Exact arithmetic: an integer may lie beyond the range of floats.
        left, right = Fraction(got), Fraction(expected)
        relative = Fraction(self.rel_tol) * max(abs(left), abs(right))
        return abs(left - right) <= max(relative, Fraction(self.abs_tol))


STRICT: Final = CanonicalForm()


def verify(
    submission: object,
    answer_key: Mapping[Any, Any],
    *,
    coverage: Literal["exact", "partial"] = "exact",
    form: CanonicalForm = STRICT,
    overrides: Mapping[Any, CanonicalForm | Mapping[str, Any]] | None = None,
    **options: Any,
) -> Outcome:
    """The reward of a submission: the share of the key's tasks that it answers rightly.

    Never raises for anything that a submission holds.

        >>> verify({"outputs": {"a": 4, "b": "x"}}, {"a": 4, "b": "y"})
        {'reward': 0.5, 'accepted': True}

    Args:
        submission: ``{"outputs": {task: value}}``; other fields are never read.
        answer_key: Task to expected value.
        coverage: ``"exact"``: the tasks answered are the key's tasks, else the submission is rejected.
            ``"partial"``: missing tasks count as wrong; extra ones still reject.
        form: Which differences do not count.
        overrides: For single tasks, another form, or the fields of ``form`` to change.
        **options: Fields of CanonicalForm to change in ``form``, for brevity: ``fold_case=True``.

    Returns:
        ``accepted`` says whether the coverage was right; ``reward`` is in [0, 1], and 0 if it was not.

    Raises:
        TypeError: The key is not a mapping, an option is unknown or of the wrong type, or an override
            names a task that the key lacks.
        ValueError: Unknown coverage, or a tolerance that is negative or not finite.
    """
    forms = _forms(answer_key, coverage, replace(form, **options), {} if overrides is None else overrides)
    outputs = _outputs(submission)
    if outputs is None or len(outputs) > len(answer_key):
        return {"reward": 0.0, "accepted": False}
    expected = {_token(task, STRICT): (task, value) for task, value in answer_key.items()}
    answers = {_token(task, STRICT): value for task, value in outputs}
    missing = len(expected) - len(answers)
    if not answers.keys() <= expected.keys() or (missing and coverage == "exact"):
        return {"reward": 0.0, "accepted": False}
    right = 0
    for token, value in answers.items():
        task, wanted = expected[token]
        right += next(_differences(value, wanted, forms[task]), None) is None
    return {"reward": right / len(expected) if expected else 0.0, "accepted": True}


def strict_equal(got: object, expected: object) -> bool:
    """Whether two values have the same plain types at every level and are then equal.

    Plain types are None, bool, int, float, complex, str, bytes, list, tuple, dict, set and frozenset,
    and nothing derived from them; a value of any other type equals nothing. ``True`` is not ``1``, ``4.0``
    is not ``4``, a tuple is not a list, and the keys of dicts and the members of sets have types too.
    NaN equals nothing. Never raises and never runs code of the values.
    """
    return explain_difference(got, expected) is None


def explain_difference(got: object, expected: object) -> str | None:
    """Where and why two values first differ by the rule of strict_equal(), or None if they do not.

    >>> explain_difference([0, 0, {"x": True}], [0, 0, {"x": 1}])
    'at [2]["x"]: expected int 1, got bool True'
    """
    return next(_differences(got, expected, STRICT), None)


def _forms(
    answer_key: Mapping[Any, Any],
    coverage: str,
    form: CanonicalForm,
    overrides: Mapping[Any, CanonicalForm | Mapping[str, Any]],
) -> dict[Any, CanonicalForm]:
    if not isinstance(answer_key, Mapping):
        raise TypeError(f"an answer key maps tasks to values, got {type(answer_key).__name__}")
    if coverage not in ("exact", "partial"):
        raise ValueError(f'coverage must be "exact" or "partial", got {coverage!r}')
    if not isinstance(overrides, Mapping):
        raise TypeError(f"overrides map tasks to forms, got {type(overrides).__name__}")
    stray = [task for task in overrides if task not in answer_key]
    if stray:
        raise TypeError(f"overrides name tasks that are not in the key: {stray!r}")
    forms = dict.fromkeys(answer_key, form)
    for task, change in overrides.items():
        forms[task] = change if isinstance(change, CanonicalForm) else replace(form, **change)
    return forms


def _outputs(submission: object) -> list[tuple[Any, Any]] | None:
    # A lookup would compare "outputs" with any key of the same hash by that key's own __eq__.
    if type(submission) is not dict:
        return None
    for name, value in list(submission.items()):
        if type(name) is str and name == "outputs":
            return list(value.items()) if type(value) is dict else None
    return None


def _differences(got: object, expected: object, form: CanonicalForm) -> Iterator[str]:
    """Yield the difference of each unequal pair, in reading order; the walk follows the key's structure.

    A pair met before is not walked again, so that cycles end and shared parts cost once.
    """
    stack: list[tuple[Any, Any, _Path]] = [(got, expected, None)]
    seen: set[tuple[int, int]] = set()
    while stack:
        left, right, path = stack.pop()
        kind = type(right)
        if kind in _SCALARS and type(left) in _SCALARS:
            if not form.equal(left, right):
                yield _message(path, f"expected {_describe(right)}, got {_describe(left)}")
        elif type(left) is not kind or kind not in _WALKS:
            yield _message(path, f"expected {_describe(right)}, got {_describe(left)}")
        elif (id(left), id(right)) not in seen:
            seen.add((id(left), id(right)))
            found = _WALKS[kind](left, right, path, form)
            if isinstance(found, str):
                yield _message(path, found)
            else:
                stack.extend(reversed(found))


# A path is a linked list from the leaf to the root, so that deep values cost one cell a level.
_Path = tuple["_Path", str] | None
_Pairs = list[tuple[Any, Any, _Path]]


def _walk_sequence(got: Any, expected: Any, path: _Path, _form: CanonicalForm) -> _Pairs | str:
    if len(got) != len(expected):
        return f"expected {_describe(expected)}, got {_describe(got)}"
    pairs = zip(list(got), list(expected), strict=False)
    return [(left, right, (path, f"[{index}]")) for index, (left, right) in enumerate(pairs)]


def _walk_dict(got: Any, expected: Any, path: _Path, _form: CanonicalForm) -> _Pairs | str:
    answers = {_token(key, STRICT): (key, value) for key, value in list(got.items())}
    wanted = {_token(key, STRICT): (key, value) for key, value in list(expected.items())}
    for token, (key, _value) in wanted.items():
        if token not in answers:
            return f"missing key {_quote(key)}"
    for token, (key, _value) in answers.items():
        if token not in wanted:
            return f"unexpected key {_quote(key)}"
    return [(answers[token][1], value, (path, f"[{_quote(key)}]")) for token, (key, value) in wanted.items()]


def _walk_set(got: Any, expected: Any, _path: _Path, form: CanonicalForm) -> _Pairs | str:
    # Tokens of values that equal nothing are unique, so such members are found missing, as they should be.
    answers = {_token(member, form): member for member in list(got)}
    wanted = {_token(member, form): member for member in list(expected)}
    for token, member in wanted.items():
        if token not in answers:
            return f"missing member {_quote(member)}"
    for token, member in answers.items():
        if token not in wanted:
            return f"unexpected member {_quote(member)}"
    return []


_WALKS: Final[dict[type, Callable[[Any, Any, _Path, CanonicalForm], _Pairs | str]]] = {
    list: _walk_sequence,
    tuple: _walk_sequence,
    dict: _walk_dict,
    set: _walk_set,
    frozenset: _walk_set,
}


def _token(value: Any, form: CanonicalForm, depth: int = 0) -> Any:
    """A hashable stand-in for a key or member: equal for values that are equal with equal types.

    What equals nothing (NaN, foreign types, nesting beyond the limit) gets a stand-in of its own.
    """
    kind = type(value)
    if kind in _SCALARS:
        plain = form.scalar(value)
        return object() if plain != plain else (type(plain), plain)  # noqa: PLR0124 - how NaN shows, in every type
    if kind not in (tuple, frozenset) or depth == MAX_KEY_DEPTH:
        return object()
    parts = [_token(part, form, depth + 1) for part in value]
    return (kind, tuple(parts) if kind is tuple else frozenset(parts))


def _parsed(text: str) -> Fraction | str:
    try:
        return numeric_literal(text)
    except ValueError:
        return text


def _message(path: _Path, reason: str) -> str:
    steps: list[str] = []
    while path is not None:
        path, step = path
        steps.append(step)
    if not steps:
        return reason
    if len(steps) > MAX_KEY_DEPTH:
        steps[5:-5] = ["..."]
    return f"at {''.join(reversed(steps))}: {reason}"


def _describe(value: Any) -> str:
    """A value's type and, when short, its text; nothing of the value's own code runs."""
    kind = type(value)
    if value is None:
        return "None"
    # A metaclass may override attribute access, and a class's name may be of a subclass of str.
    name = str.__str__(type.__dict__["__name__"].__get__(kind))[:MAX_QUOTED_CHARACTERS]
    if kind in _SCALARS:
        return f"{name} {_quote(value)}"
    if kind in _WALKS:
        return f"{name} of {len(value)} item{'' if len(value) == 1 else 's'}"
    return ascii(name)[1:-1]


def _quote(value: Any) -> str:
    kind = type(value)
    if kind not in _SCALARS:
        return _describe(value)
    if kind is int and value.bit_length() > MAX_QUOTED_BITS:
        return f"of {value.bit_length()} bits"
    if kind in (str, bytes) and len(value) > MAX_QUOTED_CHARACTERS:
        return f"{_quote(value[:MAX_QUOTED_CHARACTERS])}... ({len(value)} long)"
    if kind is str:
        quoted = ascii(value)[1:-1].replace("\\'", "'").replace('"', '\\"')
        return f'"{quoted}"'
    return repr(value)
