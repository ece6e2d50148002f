"""What runs in the workers, called here in this process, on inputs that need no bound."""

import pytest

from verifyit.modes import _math_backend as backend
from verifyit.modes import _schema_document as document
from verifyit.modes._math_text import is_set_like
from verifyit.modes._schema_document import SchemaFormat, parse_candidate, stringify_dates


def compare(expected, candidate, math_type="scalar", profile="anchored", constant=False):
    assert backend.check_reference(expected, math_type, profile) is None
    return backend.compare(expected, candidate, math_type, profile, allow_additive_constant=constant)


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [
        (("1/2", "0.5"), {"matched": True}),
        (("1/2", "0.4"), {"matched": False}),
        (("1/2", "9" * 5000), {"matched": False, "reason": "unparsable"}),
        (("1, 2", "[1, 2]", "list"), {"matched": True}),
        (("1, 2", "[1, 2, 3]", "list"), {"matched": False}),
        (("1, 2", "1,", "list"), {"matched": False, "reason": "unparsable"}),
        (("(2,\\infty)", "x>2", "interval"), {"matched": True}),
        (("red", "red", "scalar", "boxed"), {"matched": True}),
        (("x", "y", "scalar", "boxed", True), {"matched": False}),
        (("5", "", "scalar", "boxed"), {"matched": False, "reason": "missing_parse", "expected_parsed": ["5", "5"], "candidate_parsed": []}),
        (("6", "6", "scalar", "raw"), {"matched": True, "parsed_candidate": ["6", "6"]}),
        (("6", "\\boxed{6", "scalar", "raw"), {"matched": False, "parsed_candidate": [], "reason": "unparsable"}),
        (("x^2", "\\boxed{x^2+1}", "scalar", "raw", True), {"matched": True, "parsed_candidate": ["x**2 + 1", "x^2+1"]}),
        (("x^2", "x^2+1", "scalar", "anchored", True), {"matched": True}),
        (("x^2", "x^2+y", "scalar", "anchored", True), {"matched": False}),
        (("x^2", "\\infty", "scalar", "anchored", True), {"matched": False}),
        (("x^2", "\\begin{pmatrix}1\\\\2\\end{pmatrix}", "scalar", "anchored", True), {"matched": False}),
    ],
    ids=range(17),
)  # fmt: skip
def test_answers_are_compared(arguments, outcome):
    assert compare(*arguments) == outcome


def test_a_difference_that_cannot_be_formed_is_not_a_constant():
    class Odd:
        def __sub__(self, other):
            raise TypeError

    assert not backend._is_finite_constant(Odd(), 1)


@pytest.mark.parametrize(
    ("arguments", "usable"),
    [(("5", "scalar", "anchored"), True), ((" ", "scalar", "anchored"), False), (("@@", "scalar", "anchored"), False),
     (("[]", "list", "anchored"), False), (("1,,2", "list", "anchored"), False), (("red", "scalar", "boxed"), True),
     (("}", "scalar", "boxed"), False), (("x^2", "scalar", "raw"), True), (("@@", "scalar", "raw"), False)],
    ids=range(9),
)  # fmt: skip
def test_references_are_checked(arguments, usable):
    assert (backend.check_reference(*arguments) is None) is usable


@pytest.mark.parametrize(
    ("text", "token"),
    [("\\frac{2}{4}", "Rational(1, 2)"), ("\\sqrt{4}", "Integer(2)"), ("x", None), ("@@", None), ("\\{1,2\\}", None), ("\\sqrt{0.5}", None),
     ("\\frac{1}{0}", None), ("\\begin{pmatrix}1\\\\2\\end{pmatrix}", None), ("\\infty", None)],
)  # fmt: skip
def test_constants_are_canonical(text, token):
    assert backend.canonical_constant(text) == token


@pytest.mark.parametrize(
    ("text", "symbolic"), [("x+1", True), ("5", False), ("@@", False), ("\\{x\\}", False)]
)
def test_expressions_with_unknowns_are_recognized(text, symbolic):
    assert backend.is_symbolic(text) is symbolic


def test_sets_and_intervals_may_be_written_as_relations():
    assert [is_set_like(name) for name in ("set", "interval", "scalar")] == [True, True, False]


@pytest.mark.parametrize(
    ("form", "text", "reason"),
    [("json", "1", "valid"), ("json", "{", "parse_error"), ("yaml", "a: 1", "schema_violation"), ("yaml", "", "parse_error"),
     ("yaml", "a: b: c", "parse_error"), ("toml", "a = 1", "schema_violation"), ("yaml", "1", "valid")],
)  # fmt: skip
def test_documents_are_graded_by_a_schema_as_text(form, text, reason):
    assert document.grade_text('{"type": "integer"}', form, text)["reason"] == reason


def test_instances_are_graded_by_a_schema_as_text():
    assert document.grade_instance('{"type": "integer"}', 1) == {"reason": "valid"}


def test_depth_ends_in_a_value_error_or_a_recursion_error():
    loop = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        stringify_dates(loop)
    for text, form in (
        ("[" * 20_000, SchemaFormat.YAML),
        ("x = " + "[" * 20_000, SchemaFormat.TOML),
        ("&a [*a]", SchemaFormat.YAML),
    ):
        with pytest.raises(ValueError, match="deeply"):
            parse_candidate(text, form)
