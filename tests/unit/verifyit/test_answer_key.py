"""Answer keys: coverage first, identical types, options of the verifier's alone, hostile submissions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.answer_key import CanonicalForm, explain_difference, strict_equal, verify

REJECTED = {"reward": 0.0, "accepted": False}

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, -0.0, 1.0, 2.0, math.nan, math.inf])
    | st.text("ab1", max_size=2)
    | st.binary(max_size=1)
    | st.sampled_from([0j, 1 + 0j])
)
KEYS = SCALARS | st.tuples(SCALARS) | st.frozensets(SCALARS, max_size=2)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.sets(KEYS, max_size=3)
        | st.frozensets(KEYS, max_size=3)
    ),
    max_leaves=8,
)


def by_definition(left, right):
    """Identical types at every level, and then equal."""
    if type(left) is not type(right):
        return False
    if isinstance(left, list | tuple):
        # Pairs of a dict come as tuples too, and are compared in the same way.
        return len(left) == len(right) and all(map(by_definition, left, right))
    if isinstance(left, dict):
        return pair_off(list(left.items()), list(right.items()))
    if isinstance(left, set | frozenset):
        return pair_off(list(left), list(right))
    return left == right


def pair_off(left, right):
    right = list(right)
    for item in left:
        found = next((place for place, other in enumerate(right) if by_definition(item, other)), None)
        if found is None:
            return False
        del right[found]
    return not right


@given(VALUES, VALUES)
def test_strict_equal_agrees_with_its_definition(left, right):
    assert strict_equal(left, right) == by_definition(left, right)
    assert strict_equal(left, left) == by_definition(left, left)
    assert (explain_difference(left, right) is None) == strict_equal(left, right)


def test_every_task_right_is_one():
    assert verify({"outputs": {"a": 1, "b": [2]}}, {"a": 1, "b": [2]}) == {"reward": 1.0, "accepted": True}


def test_the_denominator_is_the_keys():
    assert verify({"outputs": {"a": 1, "b": 0, "c": 0}}, {"a": 1, "b": 2, "c": 3})["reward"] == 1 / 3


@pytest.mark.parametrize("outputs", [{}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": 1, "c": 2}])
def test_missing_or_extra_tasks_reject(outputs):
    assert verify({"outputs": outputs}, {"a": 1, "b": 2}) == REJECTED


def test_an_empty_key_with_empty_outputs_is_accepted_and_worth_nothing():
    assert verify({"outputs": {}}, {}) == {"reward": 0.0, "accepted": True}
    assert verify({"outputs": {"a": 1}}, {}) == REJECTED


def test_what_a_submission_says_of_itself_is_not_read():
    class Trap:
        def __eq__(self, other):
            raise AssertionError("read")

        __hash__ = None

    submission = {"reported_reward": Trap(), "accepted": True, "coverage": "partial", "outputs": {"a": 0}}
    assert verify(submission, {"a": 1}) == {"reward": 0.0, "accepted": True}


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (True, 1),
        (4.0, 4),
        (1, True),
        ((1,), [1]),
        ({"x": True}, {"x": 1}),
        ({True: 1}, {1: 1}),
        ({1}, {True}),
    ],
)
def test_types_must_be_identical_at_every_level(got, expected):
    assert not strict_equal(got, expected)
    assert verify({"outputs": {"a": got}}, {"a": expected})["reward"] == 0.0


def test_partial_coverage_counts_missing_tasks_as_wrong_and_rejects_extra_ones():
    key = {"a": 1, "b": 2}
    assert verify({"outputs": {"a": 1}}, key, coverage="partial") == {"reward": 0.5, "accepted": True}
    assert verify({"outputs": {}}, key, coverage="partial") == {"reward": 0.0, "accepted": True}
    assert verify({"outputs": {"a": 1, "c": 1}}, key, coverage="partial") == REJECTED
    assert verify({"outputs": {"a": 1, "b": 2, "c": 1}}, key, coverage="partial") == REJECTED


@pytest.mark.parametrize(
    ("options", "got", "expected", "reward"),
    [
        ({"strip": True}, " x\n", "x", 1),
        ({}, " x", "x", 0),
        ({"fold_case": True}, "STRASSE", "straße", 1),
        ({"nfc": True}, "e\u0301", "\u00e9", 1),
        ({"nfc": True, "fold_case": True}, "E\u0301", "\u00e9", 1),
        ({"fold_case": True}, "E\u0301", "\u00e9", 0),
        ({"parse_numbers": True}, " 4.0", 4, 1),
        ({"parse_numbers": True}, 4.0, 4, 1),
        ({"parse_numbers": True}, "four", 4, 0),
        ({"parse_numbers": True}, True, 1, 0),
        ({"parse_numbers": True}, math.inf, 1, 0),
        ({"parse_numbers": True}, math.inf, math.inf, 1),
        ({"parse_numbers": True, "abs_tol": 0.5}, "4.4", 4, 1),
        ({"rel_tol": 0.1}, 10**400, 10**400 + 1, 1),
        ({"rel_tol": 1e-9}, 0.1 + 0.2, 0.3, 1),
        ({"rel_tol": 0.01}, 4.0, 4, 0),
        ({"abs_tol": 1.0}, math.nan, 0.0, 0),
        ({"abs_tol": 1.0}, math.inf, 5.0, 0),
        ({"abs_tol": 1.0}, "5", "5.5", 0),
        ({"strip": True}, ["a ", {"k": " b"}], ["a", {"k": "b"}], 1),
        ({"strip": True}, {" k": 1}, {"k": 1}, 0),
        ({"fold_case": True}, {"A"}, {"a"}, 1),
    ],
)
def test_canonical_forms(options, got, expected, reward):
    assert verify({"outputs": {"t": got}}, {"t": expected}, **options)["reward"] == reward


@given(st.floats(), st.floats(), st.floats(0, 1), st.floats(0, 1))
def test_tolerance_means_what_isclose_means(got, expected, rel_tol, abs_tol):
    right = verify({"outputs": {"t": got}}, {"t": expected}, rel_tol=rel_tol, abs_tol=abs_tol)["reward"] == 1
    assert right == math.isclose(got, expected, rel_tol=rel_tol, abs_tol=abs_tol)


def test_single_tasks_can_have_a_form_of_their_own():
    submission = {"outputs": {"a": "X", "b": "X", "c": 1.5}}
    overrides = {"a": {"fold_case": True}, "c": CanonicalForm(abs_tol=1.0)}
    assert verify(submission, {"a": "x", "b": "x", "c": 1.0}, overrides=overrides)["reward"] == 2 / 3


@pytest.mark.parametrize(
    ("key", "options", "error"),
    [
        ([], {}, TypeError),
        ({}, {"coverage": "most"}, ValueError),
        ({}, {"strip": 1}, TypeError),
        ({}, {"rel_tol": "1"}, TypeError),
        ({}, {"rel_tol": -1.0}, ValueError),
        ({}, {"abs_tol": math.nan}, ValueError),
        ({}, {"unknown": True}, TypeError),
        ({"a": 1}, {"overrides": {"b": {}}}, TypeError),
    ],
)
def test_the_callers_own_mistakes_raise(key, options, error):
    with pytest.raises(error):
        verify({"outputs": {}}, key, **options)


class Everything:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return hash("outputs")


def loud_class():
    def refuse(cls, name):
        raise RuntimeError(name)

    return type("Loud", (type,), {"__getattribute__": refuse})("LoudValue", (), {})


class NamedBadly(str):
    __slots__ = ()

    def __str__(self):
        raise RuntimeError

    def __getitem__(self, index):
        raise RuntimeError


def cyclic():
    value = []
    value.append(value)
    return value


def deep(depth=100_000):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def deep_key(depth=500):
    value = ()
    for _ in range(depth):
        value = (value,)
    return {value: 1}


class Text(str):
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True


# Made inside the tests: the test runner itself would trip over some of them.
SUBMISSIONS = {
    "nothing": lambda: None,
    "a number": lambda: 1,
    "text": lambda: "outputs",
    "a list": list,
    "no outputs": dict,
    "outputs of None": lambda: {"outputs": None},
    "outputs of pairs": lambda: {"outputs": [("a", 1)]},
    "a key equal to everything": lambda: {Everything(): {"a": 1}},
    "a key derived from str": lambda: {Text("outputs"): {"a": 1}},
    "a task derived from str": lambda: {"outputs": {Text("a"): 1}},
    "a task equal to everything": lambda: {"outputs": {Everything(): 1}},
    "derived from dict": lambda: type("Sub", (dict,), {})({"outputs": {"a": 1}}),
    "outputs derived from dict": lambda: {"outputs": type("Sub", (dict,), {})({"a": 1})},
    "many tasks": lambda: {"outputs": dict.fromkeys(range(1000), 1)},
    "a long task": lambda: {"outputs": {"a" * 1_000_000: 1}},
    "a NaN task": lambda: {"outputs": {math.nan: 1}},
    "a deep task": lambda: {"outputs": deep_key()},
}


@pytest.mark.parametrize("make", SUBMISSIONS.values(), ids=SUBMISSIONS)
def test_hostile_submissions_are_rejected(make):
    assert verify(make(), {"a": 1}) == REJECTED


HOSTILE = {
    "equal to everything": Everything,
    "cyclic": cyclic,
    "deep": deep,
    "a set of it": lambda: {Everything()},
    "a dict of it": lambda: {Everything(): 1},
    "a loud metaclass": lambda: object.__new__(loud_class()),
    "a loud class": loud_class,
    "a badly named class": type(NamedBadly("N"), (), {}),
    "derived from str": lambda: Text("x"),
    "derived from int": lambda: type("I", (int,), {})(1),
    "NaN": lambda: math.nan,
    "a giant number": lambda: 10**100_000,
    "a lone surrogate": lambda: "\ud800",
    "combining marks": lambda: "\u0301\u0327" * 50_000,
    "a list of cyclic": lambda: [cyclic()],
    "infinity": lambda: math.inf,
    "a class": lambda: object,
    "an ellipsis": lambda: ...,
    "a deep key": deep_key,
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("expected", [1, "x", [1], [[1]], {"x": 1}, {1}, None, "é"], ids=repr)
def test_hostile_values_are_wrong_and_explained(make, expected):
    value = make()
    outcome = verify({"outputs": {"a": value}}, {"a": expected}, nfc=True, fold_case=True, parse_numbers=True)
    assert outcome == {"reward": 0.0, "accepted": True}
    explanation = explain_difference(value, expected)
    assert isinstance(explanation, str)
    assert len(explanation) < 500


def test_values_that_hold_themselves_end_the_walk():
    assert not strict_equal([cyclic(), 1], [cyclic(), 2])


@pytest.mark.parametrize(
    ("got", "expected", "text"),
    [
        ([0, 0, {"x": True}], [0, 0, {"x": 1}], 'at [2]["x"]: expected int 1, got bool True'),
        (1, 2, "expected int 2, got int 1"),
        ("a", None, 'expected None, got str "a"'),
        ([1], [1, 2], "expected list of 2 items, got list of 1 item"),
        ((1,), [1], "expected list of 1 item, got tuple of 1 item"),
        ({"a": 1}, {"b": 1}, 'missing key "b"'),
        ({"a": {"b": 1, 'c"': 2}}, {"a": {"b": 1}}, 'at ["a"]: unexpected key "c\\""'),
        ({1, (2, 3)}, {1}, "unexpected member tuple of 2 items"),
        ({1}, {1, 2}, "missing member 2"),
        (10**100, 1, "expected int 1, got int of 333 bits"),
        ("x" * 100, "y", f'expected str "y", got str "{"x" * 60}"... (100 long)'),
        ({True: [1]}, {True: [2]}, "at [True][0]: expected int 2, got int 1"),
    ],
)
def test_explanations(got, expected, text):
    assert explain_difference(got, expected) == text


def test_a_path_through_many_levels_is_shortened():
    explanation = explain_difference(deep(1000), deep(1001))
    assert len(explanation) < 200
